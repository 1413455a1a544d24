import type { Claim } from "../dialect.ts";
import { isTool, showsFile, when } from "../not-read-yet/not-read-yet.ts";

const LOG = /\bIN=\S{0,32} OUT=\S{0,32}.{0,400}\bSRC=\S+ DST=\S+/;
const MARTIAN = /\bmartian (?:source|destination) \S+ from \S+, on dev \S+|\bll header: [0-9a-f]{2,8}[: ]/;
const LEGACY_TRACE = /\bTRACE: (?:raw|mangle|nat|filter|security|\S{1,32}):\S{1,64}:(?:rule|return|policy):\d+/;
const NETFILTER =
  /\b(?:nf_conntrack|nf_ct_\w+|ip_conntrack): |\bnet_ratelimit: \d+ callbacks|\bneighbou?r: \S+: neighbor table overflow|\bIPVS: \S|\bconntrack: (?:table full|generic helper)/;
/** `Mar 31 16:57:22 host kernel: …`, `[90332.2415] …`, `2024-01-02T03:04:05+00:00 host kernel: …`. */
const KERNEL =
  /^(?:\s*\[\s*\d{1,10}\.\d{3,9}\]|\s*\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3}\s+\d+ [\d:]{8} \d{4}\]|\s*\w{3}\s+\d{1,2} \d\d:\d\d:\d\d \S{1,80} kernel: |\d{4}-\d\d-\d\dT\S{8,32} \S{1,80} kernel: )/;
const JOURNAL = /^-- (?:Logs begin at|Journal begins at|No entries|Boot |Reboot)/;

/** A claim must not cost more than a glance, however long the line. */
const GLANCE = 2000;

export function claim(full: string): Claim {
  const line = full.slice(0, GLANCE);
  if (LOG.test(line) || LEGACY_TRACE.test(line) || MARTIAN.test(line)) return "line";
  if (KERNEL.test(line)) return "line";
  return when(NETFILTER.test(line) || JOURNAL.test(line), "maybe");
}

const isKernelJournal = (words: readonly string[]): boolean =>
  isTool("journalctl")(words) && words.some((w) => w === "--dmesg" || /^-[a-zA-Z]*k/.test(w));

export const printsKernelLog = (words: readonly string[]): boolean =>
  isTool("dmesg")(words) ||
  isKernelJournal(words) ||
  showsFile(words, /^\/var\/log\/(?:kern|messages|syslog|firewall|iptables|ulog)/);

const TRACE =
  /^trace id [0-9a-f]{8} (?:ip|ip6|inet|arp|bridge|netdev) \S+ \S+ (?:packet:|rule |verdict |policy |unknown )/;
const XTABLES = /^(?: ?PACKET: \d|\s*TRACE: \d+ [0-9a-f]{8} \S+:\S+:(?:rule|return|policy))/;

export const claimTrace = (line: string): Claim =>
  TRACE.test(line.slice(0, GLANCE)) || XTABLES.test(line.slice(0, GLANCE)) ? "line" : "no";
