import { type IptablesTable, is, KUBELET_CHAIN, type Match, PROXY_CHAIN, type Target } from "../../model/index.ts";
import { type Family, loopbackPrefix, PROTO } from "../../net/index.ts";
import { ifNotLocal, maskedPrefix } from "../local-detector.ts";
import { ACCEPT, addressType, comment, jump, marked, orMark, RETURN, type RuleSpec, xorMark } from "../rules.ts";
import { TableBuilder } from "../table-builder.ts";
import { isSince } from "../version.ts";
import type { ProxyView } from "../view.ts";
import type { Collected } from "./collect.ts";
import {
  type AboutSet,
  ADDRESS_PORT,
  ADDRESS_PORT_SOURCE,
  aboutSets,
  commented,
  IPVS_RULES,
  inSet,
  PORT,
} from "./set-rules.ts";
import type { KubeSet, SetBuilder } from "./sets.ts";

const MARK_MASQ = jump(PROXY_CHAIN["mark-masq"]);

/** Follows writeIptablesRules() as far as it writes to nat. */
export function natTable(view: ProxyView, { sets }: Collected): IptablesTable {
  const { family, version, config } = view;
  const table = new TableBuilder("nat");
  const add = (chain: string, ...rules: readonly RuleSpec[]): void => {
    table.chain(chain);
    for (const rule of rules) table.append(chain, rule, IPVS_RULES);
  };
  const about = aboutSets(sets, family);
  const portals: RuleSpec = { matches: [comment("kubernetes service portals")], target: jump(PROXY_CHAIN.services) };
  add("PREROUTING", portals);
  add("OUTPUT", portals);
  const postrouting = comment("kubernetes postrouting rules");
  add("POSTROUTING", { matches: [postrouting], target: jump(PROXY_CHAIN.postrouting) });
  add(PROXY_CHAIN.services, ...services(view, sets, about));
  add(
    PROXY_CHAIN.postrouting,
    ...about("LOOP-BACK", ADDRESS_PORT_SOURCE, masquerade(false)),
    { matches: [marked(config.masqueradeMark, true)], target: RETURN },
    { matches: [], target: xorMark(config.masqueradeMark) },
    { matches: [comment("kubernetes service traffic requiring SNAT")], target: masquerade(config.randomFully) },
  );
  add(PROXY_CHAIN["node-port"], ...nodePorts(about));
  add(
    PROXY_CHAIN["load-balancer"],
    ...(isSince(version, 25) ? [] : about("LOAD-BALANCER-FW", ADDRESS_PORT, jump(KUBELET_CHAIN.firewall))),
    ...about("LOAD-BALANCER-LOCAL", ADDRESS_PORT, RETURN),
    { matches: [], target: MARK_MASQ },
  );
  add(PROXY_CHAIN["mark-masq"], { matches: [], target: orMark(config.masqueradeMark) });
  if (!isSince(version, 25)) {
    add(
      KUBELET_CHAIN.firewall,
      ...about("LOAD-BALANCER-SOURCE-CIDR", ADDRESS_PORT_SOURCE, RETURN),
      ...about("LOAD-BALANCER-SOURCE-IP", ADDRESS_PORT_SOURCE, RETURN),
      { matches: [], target: jump(KUBELET_CHAIN["mark-drop"]) },
    );
    // What it marks, kubelet's rules drop.
    add(KUBELET_CHAIN["mark-drop"]);
  }
  return table.build(family, IPVS_RULES);
}

const masquerade = (randomFully: boolean): Target => ({ kind: "masquerade", random: false, randomFully });

function services(view: ProxyView, sets: SetBuilder, about: AboutSet): readonly RuleSpec[] {
  const { family, version } = view;
  const dismissed: RuleSpec = { source: is(maskedPrefix(loopbackPrefix(family))), matches: [], target: RETURN };
  return [
    ...(isSince(version, 26) ? [dismissed] : []),
    ...about("LOAD-BALANCER", ADDRESS_PORT, jump(PROXY_CHAIN["load-balancer"])),
    ...(sets.isEmpty("CLUSTER-IP") ? [] : [clusterIpMasquerade(view)]),
    ...about("EXTERNAL-IP", ADDRESS_PORT, MARK_MASQ),
    ...externalIps("EXTERNAL-IP", sets, family),
    ...externalIps("EXTERNAL-IP-LOCAL", sets, family),
    { matches: [addressType("destination", "LOCAL")], target: jump(PROXY_CHAIN["node-port"]) },
    // acceptIPVSTraffic(): whatever other rules follow, what IPVS serves is to reach it.
    ...(["CLUSTER-IP", "LOAD-BALANCER"] as const)
      .filter((set) => !sets.isEmpty(set))
      .map((set): RuleSpec => ({ matches: [inSet(set, ADDRESS_PORT, family)], target: ACCEPT })),
  ];
}

/** Off-cluster traffic; where nobody can tell it, what a node sends from a VIP that it took as its source. */
function clusterIpMasquerade({ family, config, detector }: ProxyView): RuleSpec {
  const notLocal = config.masqueradeAll ? {} : ifNotLocal(detector);
  const directions = notLocal === undefined ? (["src", "dst"] as const) : ADDRESS_PORT;
  return { ...notLocal, matches: commented("CLUSTER-IP", directions, family), target: MARK_MASQ };
}

/** From off the machine, or to an address that the machine has. */
function externalIps(set: KubeSet, sets: SetBuilder, family: Family): readonly RuleSpec[] {
  if (sets.isEmpty(set)) return [];
  const matches = commented(set, ADDRESS_PORT, family);
  const notBridged: Match = { kind: "physdev", isIn: { negated: true } };
  return [
    { matches: [...matches, notBridged, addressType("source", "LOCAL", true)], target: ACCEPT },
    { matches: [...matches, addressType("destination", "LOCAL")], target: ACCEPT },
  ];
}

function nodePorts(about: AboutSet): readonly RuleSpec[] {
  const tcp = { protocol: is(PROTO.tcp) };
  const udp = { protocol: is(PROTO.udp) };
  const sctp = { protocol: is(PROTO.sctp) };
  return [
    ...about("NODE-PORT-LOCAL-TCP", PORT, RETURN, tcp),
    ...about("NODE-PORT-TCP", PORT, MARK_MASQ, tcp),
    ...about("NODE-PORT-LOCAL-UDP", PORT, RETURN, udp),
    ...about("NODE-PORT-UDP", PORT, MARK_MASQ, udp),
    ...about("NODE-PORT-LOCAL-SCTP-HASH", ADDRESS_PORT, RETURN, sctp),
    ...about("NODE-PORT-SCTP-HASH", ADDRESS_PORT, MARK_MASQ, sctp),
  ];
}
