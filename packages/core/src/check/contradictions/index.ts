import type { Dump } from "../../parse/case/dump.ts";
import { type StackView, viewsOf } from "../view.ts";
import type { Check, Claimed } from "./contradict.ts";
import { iptablesDisagree } from "./iptables-disagree.ts";
import { chainLoops, missingChains } from "./missing-chain.ts";
import { missingDevices, missingSourceAddresses, unboundVirtualAddresses } from "./missing-device.ts";
import { missingSets } from "./missing-set.ts";
import { missingLocalRoutes, missingRouteTables } from "./missing-table.ts";
import {
  devicesDisagree,
  routesDisagree,
  routingRulesDisagree,
  servicesDisagree,
  setsDisagree,
  sysctlsDisagree,
} from "./values-disagree.ts";

const checks: readonly Check[] = [
  missingSets,
  missingRouteTables,
  missingLocalRoutes,
  missingChains,
  chainLoops,
  missingDevices,
  missingSourceAddresses,
  unboundVirtualAddresses,
  iptablesDisagree,
  sysctlsDisagree,
  devicesDisagree,
  setsDisagree,
  servicesDisagree,
  routesDisagree,
  routingRulesDisagree,
];

/** Those that compare two dumps of the same thing, which may be what a packet meets. */
const disagreements: readonly Check[] = [iptablesDisagree, setsDisagree, servicesDisagree, routingRulesDisagree];

type Contradiction = Claimed & Pick<StackView, "node" | "stack">;

/** Where dumps of one namespace at one moment cannot both be true. */
export const contradictionsOf = (dumps: readonly Dump[]): readonly Contradiction[] => checked(dumps, checks);

/** Of these, where two of them show what a packet meets and are not the same. */
export const disagreementsOf = (dumps: readonly Dump[]): readonly Contradiction[] => checked(dumps, disagreements);

const checked = (dumps: readonly Dump[], wanted: readonly Check[]): readonly Contradiction[] =>
  viewsOf(dumps).flatMap((view) =>
    wanted.flatMap((c) => c(view).map((claimed) => ({ ...claimed, node: view.node, stack: view.stack }))),
  );
