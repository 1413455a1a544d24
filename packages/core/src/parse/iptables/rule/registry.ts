import type { Match, Target } from "../../../model/index.ts";
import type { Family } from "../../../net/index.ts";
import { comment } from "../extensions/comment.ts";
import * as log from "../extensions/log.ts";
import * as nat from "../extensions/nat.ts";
import * as otherMatches from "../extensions/other-matches.ts";
import * as otherTargets from "../extensions/other-targets.ts";
import * as address from "../extensions/packet/address.ts";
import * as flags from "../extensions/packet/flags.ts";
import * as header from "../extensions/packet/header.ts";
import * as icmp from "../extensions/packet/icmp.ts";
import * as ipv6 from "../extensions/packet/ipv6.ts";
import { physdev } from "../extensions/packet/physdev.ts";
import { policy } from "../extensions/packet/policy.ts";
import * as ports from "../extensions/packet/ports.ts";
import { string } from "../extensions/packet/string-match.ts";
import * as packet from "../extensions/packet-targets.ts";
import { REJECT, REJECT6 } from "../extensions/reject.ts";
import * as conntrack from "../extensions/state/conntrack.ts";
import { CT } from "../extensions/state/ct.ts";
import { hashlimit } from "../extensions/state/hashlimit.ts";
import { limit } from "../extensions/state/limit.ts";
import * as mark from "../extensions/state/mark.ts";
import { owner } from "../extensions/state/owner.ts";
import { RATEEST, rateest } from "../extensions/state/rateest.ts";
import { recent } from "../extensions/state/recent.ts";
import { SET, set } from "../extensions/state/set.ts";
import { statistic } from "../extensions/state/statistic.ts";
import { time } from "../extensions/state/time.ts";
import type { Extension, MatchExtension, TargetExtension } from "./extension.ts";

/** Matches with a record of their own, by the kind of that record. */
const TYPED_MATCHES: Readonly<Record<Exclude<Match["kind"], "other" | "unknown">, MatchExtension>> = {
  comment,
  tcp: ports.tcp,
  udp: ports.udp,
  sctp: ports.sctp,
  dccp: ports.dccp,
  icmp: icmp.icmp,
  icmp6: icmp.icmp6,
  multiport: ports.multiport,
  mark: mark.mark,
  connmark: mark.connmark,
  state: conntrack.state,
  conntrack: conntrack.conntrack,
  addrtype: address.addrtype,
  set,
  statistic,
  limit,
  hashlimit,
  connlimit: conntrack.connlimit,
  recent,
  physdev,
  owner,
  iprange: address.iprange,
  mac: address.mac,
  length: header.length,
  pkttype: address.pkttype,
  ttl: header.ttl,
  hl: header.hl,
  tos: header.tos,
  dscp: header.dscp,
  rpfilter: flags.rpfilter,
  socket: flags.socket,
  tcpmss: header.tcpmss,
  helper: conntrack.helper,
  realm: flags.realm,
  policy,
};

const OTHER_MATCHES: readonly MatchExtension[] = [
  otherMatches.ah,
  otherMatches.esp,
  otherMatches.ipcomp,
  otherMatches.bpf,
  otherMatches.cgroup,
  otherMatches.cluster,
  otherMatches.connbytes,
  otherMatches.connlabel,
  otherMatches.cpu,
  otherMatches.devgroup,
  otherMatches.ecn,
  otherMatches.ipvs,
  otherMatches.nfacct,
  otherMatches.osf,
  otherMatches.quota,
  otherMatches.u32,
  rateest,
  string,
  time,
  ipv6.ah6,
  ipv6.dst,
  ipv6.hbh,
  ipv6.eui64,
  ipv6.frag,
  ipv6.ipv6header,
  ipv6.mh,
  ipv6.rt,
  ipv6.srh,
];

type TypedTargetKind = Exclude<
  Target["kind"],
  "other" | "unknown" | "none" | "accept" | "drop" | "return" | "queue" | "jump"
>;

/** Targets with a record of their own, by the kind of that record. */
const TYPED_TARGETS: Readonly<Record<TypedTargetKind, TargetExtension>> = {
  mark: mark.MARK,
  connmark: mark.CONNMARK,
  reject: REJECT,
  dnat: nat.DNAT,
  snat: nat.SNAT,
  masquerade: nat.MASQUERADE,
  redirect: nat.REDIRECT,
  netmap: nat.NETMAP,
  log: log.LOG,
  nflog: log.NFLOG,
  ct: CT,
  set: SET,
  tcpmss: packet.TCPMSS,
  tos: packet.TOS,
  dscp: packet.DSCP,
  ttl: packet.TTL,
  hl: packet.HL,
  tproxy: packet.TPROXY,
  notrack: packet.NOTRACK,
  trace: packet.TRACE,
  checksum: packet.CHECKSUM,
  classify: packet.CLASSIFY,
};

const OTHER_TARGETS: readonly TargetExtension[] = [
  REJECT6,
  log.ULOG,
  otherTargets.AUDIT,
  otherTargets.CLUSTERIP,
  otherTargets.CONNSECMARK,
  otherTargets.ECN,
  otherTargets.HMARK,
  otherTargets.IDLETIMER,
  otherTargets.LED,
  otherTargets.NFQUEUE,
  otherTargets.SECMARK,
  otherTargets.SYNPROXY,
  otherTargets.TCPOPTSTRIP,
  otherTargets.TEE,
  RATEEST,
  ipv6.DNPT,
  ipv6.SNPT,
];

export const matchExtensions: readonly MatchExtension[] = [...Object.values(TYPED_MATCHES), ...OTHER_MATCHES];
export const targetExtensions: readonly TargetExtension[] = [...Object.values(TYPED_TARGETS), ...OTHER_TARGETS];

const index = <R>(all: readonly Extension<R>[], family: Family): ReadonlyMap<string, Extension<R>> =>
  new Map(all.filter((e) => e.family === undefined || e.family === family).map((e) => [e.name, e]));

const MATCHES = { 4: index(matchExtensions, 4), 6: index(matchExtensions, 6) };
const TARGETS = { 4: index(targetExtensions, 4), 6: index(targetExtensions, 6) };

/** `-m icmpv6` is `-m icmp6` by another name. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["icmpv6", "icmp6"],
  ["ipv6-icmp", "icmp6"],
  ["mobility-header", "mh"],
  ["ipv6-mh", "mh"],
]);

export const findMatch = (name: string, family: Family): MatchExtension | undefined =>
  MATCHES[family].get(name) ?? (family === 6 ? MATCHES[6].get(ALIASES.get(name) ?? "") : undefined);
export const findTarget = (name: string, family: Family): TargetExtension | undefined => TARGETS[family].get(name);

export const extensionOfMatch = (match: Match, family: Family): MatchExtension | undefined =>
  match.kind === "other"
    ? MATCHES[family].get(match.name)
    : match.kind === "unknown"
      ? undefined
      : TYPED_MATCHES[match.kind];
export const extensionOfTarget = (target: Target, family: Family): TargetExtension | undefined =>
  target.kind === "other" ? TARGETS[family].get(target.name) : TYPED_TARGETS[target.kind as TypedTargetKind];

/** The match that an option loads by itself: `-p tcp --dport 80`. */
const IMPLIED: ReadonlyMap<number, string> = new Map([
  [1, "icmp"],
  [6, "tcp"],
  [17, "udp"],
  [33, "dccp"],
  [50, "esp"],
  [51, "ah"],
  [58, "icmp6"],
  [108, "ipcomp"],
  [132, "sctp"],
  [135, "mh"],
]);
export const impliedMatch = (protocol: number, family: Family): MatchExtension | undefined =>
  findMatch(IMPLIED.get(protocol) ?? "", family);
