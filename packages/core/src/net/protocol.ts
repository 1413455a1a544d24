/** IP protocol numbers by the names iptables and the kernel's tools use (/etc/protocols). */
const NAMES: ReadonlyMap<string, number> = new Map([
  ["ip", 0],
  ["icmp", 1],
  ["igmp", 2],
  ["ipencap", 4],
  ["tcp", 6],
  ["egp", 8],
  ["udp", 17],
  ["dccp", 33],
  ["ipv6", 41],
  ["rsvp", 46],
  ["gre", 47],
  ["esp", 50],
  ["ah", 51],
  ["ipv6-icmp", 58],
  ["ospf", 89],
  ["ipip", 94],
  ["pim", 103],
  ["ipcomp", 108],
  ["vrrp", 112],
  ["l2tp", 115],
  ["sctp", 132],
  ["ipv6-mh", 135],
  ["mobility-header", 135],
  ["udplite", 136],
  ["mptcp", 262],
  ["ggp", 3],
  ["ipv4", 4],
  ["st", 5],
  ["igp", 9],
  ["pup", 12],
  ["hmp", 20],
  ["xns-idp", 22],
  ["rdp", 27],
  ["iso-tp4", 29],
  ["xtp", 36],
  ["ddp", 37],
  ["idpr-cmtp", 38],
  ["ipv6-route", 43],
  ["ipv6-frag", 44],
  ["idrp", 45],
  ["skip", 57],
  ["ipv6-nonxt", 59],
  ["ipv6-opts", 60],
  ["rspf", 73],
  ["vmtp", 81],
  ["eigrp", 88],
  ["ax.25", 93],
  ["etherip", 97],
  ["encap", 98],
  ["isis", 124],
  ["fc", 133],
  ["mpls-in-ip", 137],
  ["manet", 138],
  ["hip", 139],
  ["shim6", 140],
  ["wesp", 141],
  ["rohc", 142],
]);
const NUMBERS: ReadonlyMap<number, string> = new Map([...NAMES].reverse().map(([name, n]) => [n, name]));

export const PROTO = { icmp: 1, ipip: 4, tcp: 6, udp: 17, dccp: 33, icmp6: 58, sctp: 132, udplite: 136 } as const;

export const protocolNumber = (name: string): number | undefined =>
  /^\d{1,3}$/.test(name)
    ? Number(name) < 256
      ? Number(name)
      : undefined
    : (NAMES.get(name.toLowerCase()) ?? (name.toLowerCase() === "icmpv6" ? 58 : undefined));
export const protocolName = (n: number): string => NUMBERS.get(n) ?? String(n);
/** ICMP of either family. */
export const isIcmp = (n: number): boolean => n === PROTO.icmp || n === PROTO.icmp6;
export const hasPorts = (n: number): boolean =>
  n === PROTO.tcp || n === PROTO.udp || n === PROTO.sctp || n === PROTO.dccp || n === PROTO.udplite;
