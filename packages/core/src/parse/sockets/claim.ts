import type { Claim } from "../dialect.ts";
import { isTool, showsFile, tool, when } from "../not-read-yet/not-read-yet.ts";

/** A claim must not cost more than a glance, however long the line. */
const GLANCE = 2000;

const SS_HEAD = /^(?:Netid\s+)?State\s+Recv-Q\s+Send-Q\s+(?:Local Address:?|Local)/;
const SS_ROW =
  /^\s*(?:(?:tcp|udp|raw|u_str|u_dgr|u_seq|nl|p_raw|p_dgr|icmp6?|sctp|mptcp|vsock)\s+)?(?:LISTEN|ESTAB|UNCONN|TIME-WAIT|SYN-SENT|SYN-RECV|CLOSE-WAIT|FIN-WAIT-[12]|LAST-ACK|CLOSING|CLOSED)\s+\d+\s+\d+\s+\S+/;
const NETSTAT_HEAD = /^(?:Active (?:Internet|UNIX) |Proto\s+Recv-Q\s+Send-Q\s+Local Address|Proto RefCnt Flags)/;
const NETSTAT_ROW = /^\s*(?:tcp6?|udp6?|raw6?|udplite6?|sctp)\s+\d+\s+\d+\s+\S+[:.]\S+\s+\S+[:.]\S+(?:\s|$)/;
const SS_DETAIL = /^\s+(?:skmem:|cubic |bbr |ts sack|timer:|users:\(|wscale:|rto:)/;

export function claimSockets(full: string): Claim {
  const line = full.slice(0, GLANCE);
  if (SS_HEAD.test(line) || NETSTAT_HEAD.test(line)) return "head";
  if (SS_ROW.test(line) || NETSTAT_ROW.test(line)) return "line";
  return when(SS_DETAIL.test(line) || /^(?:Total: \d+|TCP:\s+\d+ \(estab|Transport Total)/.test(line), "maybe");
}

const COUNTER =
  /^(?:Ip|Ip6|Icmp|Icmp6|IcmpMsg|Tcp|TcpExt|Udp|Udp6|UdpLite|IpExt|MPTcpExt)[A-Z]\w{2,40}\s+\d+(?:\s+\d+(?:\.\d+)?)?\s*$/;
const SNMP = /^(?:Ip|Icmp|IcmpMsg|Tcp|TcpExt|Udp|UdpLite|IpExt|MPTcpExt): (?:[A-Z]\w+ |\d+ )/;
const NETSTAT_S = /^\s{4}\d+ [a-z][\w ,'/()-]{5,100}$|^\s{4}[A-Z]\w{3,40}: \d+\s*$/;

export function claimCounters(full: string): Claim {
  const line = full.slice(0, GLANCE);
  if (/^#kernel\s*$/.test(line)) return "head";
  if (COUNTER.test(line) || SNMP.test(line)) return "line";
  return when(NETSTAT_S.test(line) || /^(?:Ip|Icmp|IcmpMsg|Tcp|TcpExt|Udp|UdpLite|IpExt):\s*$/.test(line), "maybe");
}

export const printsCounters = (words: readonly string[]): boolean =>
  isTool("nstat")(words) ||
  (tool(words) === "netstat" && words.some((w) => w === "--statistics" || /^-[a-z]*s/.test(w))) ||
  showsFile(words, /^\/proc\/net\/(?:snmp6?|netstat)$/);

export const printsSockets = (words: readonly string[]): boolean =>
  isTool("ss", "lsof")(words) ||
  (tool(words) === "netstat" && !printsCounters(words) && !words.some((w) => w === "--route" || /^-[a-z]*r/.test(w)));
