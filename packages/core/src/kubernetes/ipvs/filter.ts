import { FORWARD_CONNTRACK, type IptablesTable, type Origin, PROXY_CHAIN, type Target } from "../../model/index.ts";
import { formatAddress } from "../../net/index.ts";
import { ACCEPT, comment, DROP, fromHost, inState, jump, marked, RETURN, type RuleSpec } from "../rules.ts";
import { TableBuilder } from "../table-builder.ts";
import { isSince } from "../version.ts";
import type { ProxyView } from "../view.ts";
import type { Barred, Collected } from "./collect.ts";
import {
  type AboutSet,
  ADDRESS_PORT,
  ADDRESS_PORT_SOURCE,
  aboutSets,
  commented,
  type Directions,
  IPVS_RULES,
  inSet,
  PORT,
} from "./set-rules.ts";
import type { KubeSet } from "./sets.ts";

/** Follows createAndLinkKubeChain() and writeIptablesRules() as far as they write to filter. */
export function filterTable(view: ProxyView, { sets, barred }: Collected): IptablesTable {
  const { family, version, config } = view;
  const table = new TableBuilder("filter");
  const add = (chain: string, rules: readonly RuleSpec[], origin: Origin = IPVS_RULES): void => {
    table.chain(chain);
    for (const rule of rules) table.append(chain, rule, origin);
  };
  /** EnsureRule(Prepend): a jump that comes later stands first. */
  const link = (hook: string, chain: string, text: string): void =>
    table.prepend(hook, { matches: [comment(text)], target: jump(chain) }, IPVS_RULES);
  const about = aboutSets(sets, family);

  link("FORWARD", PROXY_CHAIN.forward, "kubernetes forwarding rules");
  add(PROXY_CHAIN.forward, forwarding(config.masqueradeMark, isSince(version, 23)));
  if (isSince(version, 21)) {
    link("INPUT", PROXY_CHAIN["node-port"], "kubernetes health check rules");
    add(PROXY_CHAIN["node-port"], [{ matches: commented("HEALTH-CHECK-NODE-PORT", PORT, family), target: ACCEPT }]);
  }
  if (isSince(version, 25)) {
    for (const hook of ["INPUT", "FORWARD"]) link(hook, PROXY_CHAIN["proxy-firewall"], "kube-proxy firewall rules");
    add(
      PROXY_CHAIN["proxy-firewall"],
      about("LOAD-BALANCER-FW", ADDRESS_PORT, jump(PROXY_CHAIN["source-ranges-firewall"])),
    );
    add(PROXY_CHAIN["source-ranges-firewall"], sourceRanges(about));
  }
  if (isSince(version, 26)) {
    link("INPUT", PROXY_CHAIN["ipvs-filter"], "kubernetes ipvs access filter");
    add(PROXY_CHAIN["ipvs-filter"], accessFilter(view));
  }
  if (isSince(version, 29)) {
    link("OUTPUT", PROXY_CHAIN["ipvs-out-filter"], "kubernetes ipvs access filter");
    add(PROXY_CHAIN["ipvs-out-filter"], []);
    for (const one of barred) add(PROXY_CHAIN["ipvs-out-filter"], [notFromHere(one)], one.origin);
  }
  return table.build(family, IPVS_RULES);
}

function forwarding(mark: number, oneRule: boolean): readonly RuleSpec[] {
  const established = inState(["RELATED", "ESTABLISHED"]);
  const texts = oneRule
    ? [FORWARD_CONNTRACK]
    : ["kubernetes forwarding conntrack pod source rule", "kubernetes forwarding conntrack pod destination rule"];
  return [
    { matches: [comment("kubernetes forwarding rules"), marked(mark)], target: ACCEPT },
    ...texts.map((text): RuleSpec => ({ matches: [comment(text), established], target: ACCEPT })),
  ];
}

const sourceRanges = (about: AboutSet): readonly RuleSpec[] => [
  ...about("LOAD-BALANCER-SOURCE-CIDR", ADDRESS_PORT_SOURCE, RETURN),
  ...about("LOAD-BALANCER-SOURCE-IP", ADDRESS_PORT_SOURCE, RETURN),
  { matches: [], target: DROP },
];

/** Keeps the host's own ports from being reached by the addresses of kube-ipvs0 (kubernetes#72236). */
function accessFilter(view: ProxyView): readonly RuleSpec[] {
  const { family } = view;
  const passes = (set: KubeSet, directions: Directions): RuleSpec => ({
    matches: [inSet(set, directions, family)],
    target: RETURN,
  });
  const reject: Target = { kind: "reject", with: family === 6 ? "icmp6-port-unreachable" : "icmp-port-unreachable" };
  return [
    passes("LOAD-BALANCER", ADDRESS_PORT),
    passes("CLUSTER-IP", ADDRESS_PORT),
    passes("EXTERNAL-IP", ADDRESS_PORT),
    ...(knowsLocalExternalIps(view) ? [passes("EXTERNAL-IP-LOCAL", ADDRESS_PORT)] : []),
    passes("HEALTH-CHECK-NODE-PORT", PORT),
    { matches: [inState(["NEW"]), inSet("IPVS-IPS", PORT, family)], target: reject },
  ];
}

/** Before, an external IP with the Local policy was refused by this chain. Follows the releases that carry the fix. */
const knowsLocalExternalIps = ({ version }: ProxyView): boolean =>
  version.minor === 28 ? version.patch >= 6 : isSince(version, 29, 1);

/** A process of the node takes the VIP as its source, so the source ranges cannot keep it out (kubernetes#119656). */
const notFromHere = ({ address, protocol, port }: Barred): RuleSpec => ({
  ...fromHost(address),
  matches: [
    {
      kind: "other",
      name: "ipvs",
      options: ["--vproto", String(protocol), "--vaddr", formatAddress(address), "--vport", String(port)],
    },
  ],
  target: DROP,
});
