import type { DeviceKind, Match, SetDimension, Target } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { CONSULTED_SYSCTLS } from "./sysctl.ts";

/**
 * What the walk does with each thing the reader knows. `simulated`: as the kernel does it; `assumed`: one way, listed as
 * an assumption; `unknown`: the walk forks (match) or ends undetermined (target, device); `no effect`: changes nothing
 * that decides a packet's fate.
 */
export type Coverage = "simulated" | "assumed" | "unknown" | "no effect";

export const MATCH_COVERAGE: Readonly<Record<Match["kind"], Coverage>> = {
  comment: "no effect",
  tcp: "simulated",
  udp: "simulated",
  sctp: "simulated",
  dccp: "unknown",
  icmp: "simulated",
  icmp6: "simulated",
  multiport: "simulated",
  mark: "simulated",
  connmark: "simulated",
  state: "simulated",
  conntrack: "simulated",
  addrtype: "simulated",
  set: "simulated",
  statistic: "simulated",
  limit: "assumed",
  hashlimit: "assumed",
  connlimit: "assumed",
  recent: "assumed",
  physdev: "simulated",
  owner: "assumed",
  iprange: "simulated",
  mac: "simulated",
  length: "simulated",
  pkttype: "simulated",
  ttl: "simulated",
  hl: "simulated",
  tos: "simulated",
  dscp: "simulated",
  rpfilter: "simulated",
  socket: "unknown",
  tcpmss: "simulated",
  helper: "simulated",
  realm: "simulated",
  policy: "simulated",
  other: "unknown",
  unknown: "unknown",
};

export const TARGET_COVERAGE: Readonly<Record<Target["kind"], Coverage>> = {
  none: "no effect",
  accept: "simulated",
  drop: "simulated",
  return: "simulated",
  jump: "simulated",
  queue: "unknown",
  mark: "simulated",
  connmark: "simulated",
  reject: "simulated",
  dnat: "simulated",
  snat: "simulated",
  masquerade: "simulated",
  redirect: "simulated",
  netmap: "simulated",
  log: "simulated",
  nflog: "no effect",
  ct: "simulated",
  notrack: "simulated",
  trace: "no effect",
  set: "assumed",
  tcpmss: "simulated",
  tos: "simulated",
  dscp: "simulated",
  ttl: "simulated",
  hl: "simulated",
  tproxy: "simulated",
  checksum: "no effect",
  classify: "no effect",
  other: "unknown",
  unknown: "unknown",
};

/** Extensions without a record of their own: what the question decides is simulated, the rest forks. */
export const OTHER_COVERAGE: Readonly<Record<string, Coverage>> = lookup<Coverage>({
  bpf: "simulated",
  connbytes: "simulated",
  dst: "simulated",
  devgroup: "simulated",
  ecn: "simulated",
  frag: "simulated",
  hbh: "simulated",
  ipv6header: "simulated",
  ipvs: "simulated",
  mh: "simulated",
  nfacct: "no effect",
  quota: "assumed",
  rt: "simulated",
  string: "simulated",
  time: "simulated",
  u32: "simulated",
  HMARK: "simulated",
});

export const SET_COVERAGE: Readonly<Record<SetDimension, Coverage>> = {
  ip: "simulated",
  net: "simulated",
  port: "simulated",
  mac: "simulated",
  iface: "simulated",
  mark: "simulated",
  set: "simulated",
};

export const DEVICE_COVERAGE: Readonly<Record<DeviceKind, Coverage>> = {
  loopback: "simulated",
  ethernet: "simulated",
  veth: "simulated",
  bridge: "simulated",
  dummy: "simulated",
  vlan: "simulated",
  tun: "simulated",
  tap: "simulated",
  bond: "assumed",
  team: "assumed",
  vxlan: "simulated",
  geneve: "assumed",
  ipip: "simulated",
  sit: "assumed",
  gre: "simulated",
  ip6tnl: "simulated",
  ip6gre: "simulated",
  wireguard: "assumed",
  macvlan: "assumed",
  macvtap: "unknown",
  ipvlan: "assumed",
  vrf: "unknown",
  ifb: "unknown",
  nlmon: "unknown",
  xfrm: "unknown",
  openvswitch: "unknown",
  unknown: "assumed",
};

/** Sysctls the walk asks for; all others that are read have no effect on it. */
export const sysctlCoverage = (key: string): Coverage => {
  const conf = /^net\.ipv4\.conf\..+\.([a-z_]+)$/.exec(key)?.[1];
  const query = conf === undefined ? key : `conf.${conf}`;
  return CONSULTED_SYSCTLS.includes(query) || key === "net.ipv4.ip_forward" ? "simulated" : "no effect";
};
