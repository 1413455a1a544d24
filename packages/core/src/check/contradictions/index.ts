import type { Check } from "./contradict.ts";
import { iptablesDisagree } from "./iptables-disagree.ts";
import { chainLoops, missingChains } from "./missing-chain.ts";
import { missingDevices, missingSourceAddresses, unboundVirtualAddresses } from "./missing-device.ts";
import { missingSets } from "./missing-set.ts";
import { missingRouteTables } from "./missing-table.ts";
import {
  devicesDisagree,
  routesDisagree,
  routingRulesDisagree,
  servicesDisagree,
  setsDisagree,
  sysctlsDisagree,
} from "./values-disagree.ts";

export const checks: readonly Check[] = [
  missingSets,
  missingRouteTables,
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
