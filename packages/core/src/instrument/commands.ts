import { shell } from "../model/shell.ts";
import { type Family, familyOf, formatAddress, protocolName } from "../net/index.ts";
import type { CaptureProbe, LogProbe, PacketFilter, Probe } from "./probe.ts";

/** How a rule tells of a packet: a line of the kernel's log, its whole way through the rules, or nft's own trace. */
export type Method = "log" | "trace" | "nft";

export interface Commands {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

export const MARK = "hairpin-";
/** So much at most, whatever comes: a log must not drown a node. */
const LIMIT = ["-m limit", "--limit 10/second", "--limit-burst 20"];

export const familyOfProbe = ({ filter: { src, dst } }: Probe): Family => {
  const end = src ?? dst;
  return end === undefined ? 4 : familyOf(end);
};

/** LOG takes 29 characters. */
export const prefixOf = (probe: LogProbe): string => `${MARK}${probe.id} ${probe.hook}: `;

function ruleWords({ protocol, src, dst, sport, dport }: PacketFilter): readonly string[] {
  const name = protocolName(protocol);
  const ported = sport !== undefined || dport !== undefined;
  return [
    `-p ${name}`,
    ...(src === undefined ? [] : [`-s ${formatAddress(src)}`]),
    ...(dst === undefined ? [] : [`-d ${formatAddress(dst)}`]),
    ...(ported ? [`-m ${name}`] : []),
    ...(sport === undefined ? [] : [`--sport ${sport}`]),
    ...(dport === undefined ? [] : [`--dport ${dport}`]),
  ];
}

/** The rule of a probe. It stands first, says and does nothing else: LOG and TRACE decide nothing. */
export function ruleCommands(probe: LogProbe, tool: string, method: Exclude<Method, "nft">): Commands {
  const rule =
    method === "log"
      ? ["-t mangle", probe.hook, ...ruleWords(probe.filter), ...LIMIT, `-j LOG --log-prefix "${prefixOf(probe)}"`]
      : ["-t raw", startOf(probe), ...ruleWords(probe.filter), ...LIMIT, "-j TRACE"];
  const [table, chain, ...rest] = rule;
  return {
    add: [`${tool} -w ${table} -I ${chain} 1 ${rest.join(" ")}`],
    remove: [`${tool} -w ${table} -D ${chain} ${rest.join(" ")}`],
  };
}

/** TRACE follows a packet from where it enters the stack. */
const startOf = (probe: LogProbe): string =>
  probe.hook === "OUTPUT" || probe.hook === "POSTROUTING" ? "OUTPUT" : "PREROUTING";

/** Ahead of whatever mangles, where LOG of iptables would stand, and ahead of all. */
const LOGS = -151;
const TRACES = -350;

/** A table of our own, removed whole: nobody else's chain is touched. It traces the packet, or writes the line that LOG would write. */
export function nftCommands(probe: LogProbe, method: Method): Commands {
  const { protocol, src, dst, sport, dport } = probe.filter;
  const ip = familyOfProbe(probe) === 6 ? "ip6" : "ip";
  const name = protocolName(protocol);
  const table = `hairpin_${probe.id}`;
  const match = [
    `meta l4proto ${name}`,
    ...(src === undefined ? [] : [`${ip} saddr ${formatAddress(src)}`]),
    ...(dst === undefined ? [] : [`${ip} daddr ${formatAddress(dst)}`]),
    ...(sport === undefined ? [] : [`${name} sport ${sport}`]),
    ...(dport === undefined ? [] : [`${name} dport ${dport}`]),
  ].join(" ");
  const logs = method === "log";
  const hook = (logs ? probe.hook : startOf(probe)).toLowerCase();
  const says = logs
    ? `limit rate 10/second burst 20 packets log prefix '"${prefixOf(probe)}"'`
    : `limit rate 10/second meta nftrace set 1`;
  const chain = "watch";
  return {
    add: [
      `nft add table ${ip} ${table}`,
      `nft 'add chain ${ip} ${table} ${chain} { type filter hook ${hook} priority ${logs ? LOGS : TRACES}; }'`,
      `nft add rule ${ip} ${table} ${chain} ${match} ${says}`,
    ],
    remove: [`nft delete table ${ip} ${table}`],
  };
}

/** tcpdump sees a frame before any rule on the way in, and after all of them on the way out. */
export function captureCommand(probe: CaptureProbe): string {
  const { protocol, src, dst, sport, dport } = probe.filter;
  const name = protocolName(protocol);
  const ported = name === "tcp" || name === "udp" || name === "sctp" ? ` ${name}` : "";
  const terms = [
    name,
    ...(src === undefined ? [] : [`src host ${formatAddress(src)}`]),
    ...(dst === undefined ? [] : [`dst host ${formatAddress(dst)}`]),
    ...(sport === undefined ? [] : [`${ported.trim()} src port ${sport}`]),
    ...(dport === undefined ? [] : [`${ported.trim()} dst port ${dport}`]),
  ];
  return shell`tcpdump -l -i ${probe.device} -Q ${probe.way} -nn -e -c 50 ${terms.join(" and ")}`;
}
