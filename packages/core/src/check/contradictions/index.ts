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

/** Where dumps of one namespace at one moment cannot both be true. */
export const contradictionsOf = (dumps: readonly Dump[]): readonly (Claimed & Pick<StackView, "node" | "stack">)[] =>
  viewsOf(dumps).flatMap((view) =>
    checks.flatMap((c) => c(view).map((claimed) => ({ ...claimed, node: view.node, stack: view.stack }))),
  );
