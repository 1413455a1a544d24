import { derived, type IptablesTable, KUBELET_CHAIN } from "../model/index.ts";
import { LOCALNET_RULE } from "./iptables/base-chains.ts";
import { FIREWALL, MARK_DROP } from "./iptables/names.ts";
import { comment, DROP, jump, marked, orMark, type RuleSpec } from "./rules.ts";
import { extend, TableBuilder } from "./table-builder.ts";
import { isSince } from "./version.ts";
import type { ProxyView } from "./view.ts";

/** iptablesDropBit, whose default nobody changes. */
const DROP_MARK = 1 << 15;

const DROP_MARKED: RuleSpec = {
  matches: [comment("kubernetes firewall for dropping marked packets"), marked(DROP_MARK)],
  target: DROP,
};

/** KUBE-FIREWALL as this release of kubelet fills it. */
function firewallOf({ version, family, features, config }: ProxyView): readonly RuleSpec[] {
  const marking = features.ownershipCleanup ? [] : [DROP_MARKED];
  // Against CVE-2020-8558, which NodePorts on localhost brought along; kube-proxy has none of them in IPVS mode.
  const localnet = family === 4 && isSince(version, 18, 4) && config.mode !== "ipvs" ? [LOCALNET_RULE] : [];
  return isSince(version, 25) ? [...localnet, ...marking] : [...marking, ...localnet];
}

/**
 * What kubelet puts into the tables beside kube-proxy, before it: chains by which it sees that rules were flushed, the one that
 * says which back end it uses, KUBE-MARK-DROP and KUBE-FIREWALL. Follows syncIPTablesRules() (pkg/kubelet/kubelet_network_linux.go).
 */
export function withKubelet(tables: readonly IptablesTable[], view: ProxyView): readonly IptablesTable[] {
  const { version, features, family, node } = view;
  const origin = derived("what kubelet writes on every node", node.origin);
  const builders = (["mangle", "nat", "filter"] as const).map((name) => new TableBuilder(name));
  const [mangle, nat, filter] = builders as [TableBuilder, TableBuilder, TableBuilder];
  for (const table of builders) table.chain(KUBELET_CHAIN.canary);
  if (isSince(version, 24)) mangle.chain(KUBELET_CHAIN.hint);
  if (!features.ownershipCleanup) nat.append(MARK_DROP, { matches: [], target: orMark(DROP_MARK) }, origin);
  const firewall = firewallOf(view);
  if (firewall.length > 0) {
    for (const spec of firewall) filter.append(FIREWALL, spec, origin);
    for (const from of ["OUTPUT", "INPUT"]) filter.append(from, { matches: [], target: jump(FIREWALL) }, origin);
  }
  return builders.map((builder) => extend(builder.build(family, origin), tables));
}
