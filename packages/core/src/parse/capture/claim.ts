import type { Claim } from "../dialect.ts";

const BANNER =
  /^\s*(?:tcpdump: (?:verbose output|listening on|data link|WARNING)|listening on \S+, link-type |dropped privs to )/;
const SUMMARY = /^\s*\d+ packets? (?:captured|received by filter|dropped by (?:kernel|interface))/;
const TIME = String.raw`(?:\s*\d{1,7}\s+)?(?:\d{4}-\d\d-\d\d )?(?:\d\d:\d\d:\d\d(?:\.\d{1,9})?|\d{9,10}\.\d{6,9}|\s*[\d:]+\.\d{6,9})`;
const PACKET = new RegExp(
  String.raw`^\s*${TIME}\s+(?:\S{1,20}\s+)?(?:(?:In|Out|P|B|M|OutM|\?)\s+)?(?:ifindex \d+ )?(?:IP6?|ARP|ARP,|RARP|[0-9a-f]{2}(?::[0-9a-f]{2}){5}|STP|LLDP|ethertype|\(tos|IP\d?,|ICMP6?|vlan|0x)`,
);
/** The second line of `tcpdump -v`. */
const VERBOSE =
  /^\s+\S{1,80}(?:\.[\w-]{1,32})? > \S{1,80}: (?:Flags|\[|ICMP|UDP|IP|BOOTP|NTP|\d+[+*]|VXLAN|OTV|GRE|sctp|ESP|igmp)/;
const NO_TIME = /^\s*(?:IP6?|ARP,) (?:\(tos |\S{1,80}(?:\.[\w-]{1,32})? > \S{1,80}: )|^ARP, (?:Request|Reply) /;
const HEX_DUMP = /^\s+0x[0-9a-f]{4}:\s+(?:[0-9a-f]{2,4}\s+){1,8}/;
/** tshark: `  1 0.000000000 10.0.0.1 → 10.0.0.2 TCP 74 40000 → 80 [SYN]`. */
const TSHARK = /^\s*\d+\s+\d+\.\d{6,9}\s+\S+ (?:→|->) \S+\s+[A-Z]\S{1,12} \d+ /;

/** A claim must not cost more than a glance, however long the line. */
const GLANCE = 2000;

export function claim(full: string): Claim {
  const line = full.slice(0, GLANCE);
  if (BANNER.test(line)) return "head";
  if (PACKET.test(line) || NO_TIME.test(line) || VERBOSE.test(line) || SUMMARY.test(line) || TSHARK.test(line))
    return "line";
  if (HEX_DUMP.test(line)) return "line";
  return /^(?:\^C|\s+(?:IP6? |\S+ > \S+:)|reading from file )/.test(line) ? "maybe" : "no";
}
