import { type Packet, type Port, type Step, TCP } from "@hairpin/core/model/index.ts";
import { formatAddress, protocolName } from "@hairpin/core/net/index.ts";
import type { Branch } from "@hairpin/core/trace/index.ts";
import type { HookRecord, SeenPacket } from "./observation.ts";

/**
 * One traversal of a table as a line, the same for the walk and for the kernel, so that the two can be laid side by side:
 * `node nat/PREROUTING in=eth0 out=- 10.0.0.1:40000 > 10.0.0.2:80 tcp SYN ttl=64`.
 */
export interface HookLine {
  readonly stack: string;
  readonly text: string;
}

const FLAGS: readonly (readonly [string, number])[] = [
  ["FIN", TCP.FIN],
  ["SYN", TCP.SYN],
  ["RST", TCP.RST],
  ["ACK", TCP.ACK],
];

interface Seen {
  readonly stack: string;
  readonly table: string;
  readonly chain: string;
  readonly in: string;
  readonly out: string;
  readonly physIn: string;
  readonly physOut: string;
  readonly mark: number;
  readonly src: string;
  readonly dst: string;
  readonly protocol: number;
  readonly flags: number;
  readonly icmp?: { readonly type: number; readonly code: number } | undefined;
  readonly ttl: number;
}

function line(s: Seen): HookLine {
  const flags = FLAGS.filter(([, bit]) => s.flags & bit).map(([name]) => name);
  const what = s.icmp === undefined ? flags.join(",") : `type ${s.icmp.type} code ${s.icmp.code}`;
  const parts = [
    `${s.table}/${s.chain}`,
    `in=${s.in || "-"}`,
    `out=${s.out || "-"}`,
    ...(s.physIn === "" ? [] : [`physin=${s.physIn}`]),
    ...(s.physOut === "" ? [] : [`physout=${s.physOut}`]),
    `${s.src} > ${s.dst}`,
    protocolName(s.protocol),
    ...(what === "" ? [] : [what]),
    `ttl=${s.ttl}`,
    ...(s.mark === 0 ? [] : [`mark=0x${s.mark.toString(16)}`]),
  ];
  return { stack: s.stack, text: parts.join(" ") };
}

const port = (p: Port): string => (typeof p === "number" ? String(p) : "*");

function predicted(step: Step): HookLine[] {
  if (step.kind !== "hook") return [];
  const p: Packet = step.packet;
  const ports = p.icmp === undefined;
  return [
    line({
      stack: step.stack,
      table: step.table,
      chain: step.hook,
      in: step.in,
      out: step.out,
      // NFLOG tells the port a frame came in by only beside the device it came in by (nfulnl_log_packet).
      physIn: step.in === "" ? "" : (step.physIn ?? ""),
      physOut: step.physOut ?? "",
      mark: step.mark,
      src: ports ? `${formatAddress(p.src)}:${port(p.sport)}` : formatAddress(p.src),
      dst: ports ? `${formatAddress(p.dst)}:${port(p.dport)}` : formatAddress(p.dst),
      protocol: p.protocol,
      flags: p.tcpFlags & ~TCP.PSH,
      icmp: p.icmp,
      ttl: p.ttl,
    }),
  ];
}

/** What the walk says the hooks of every stack will see, leg after leg. */
export const predictedHooks = (branch: Branch): readonly HookLine[] =>
  [branch.request, ...(branch.reply === null ? [] : [branch.reply]), ...branch.data].flatMap((leg) =>
    leg.steps.flatMap(predicted),
  );

/** What the kernel's hooks saw. */
export function observedHook(record: HookRecord): HookLine {
  const p: SeenPacket = record.packet;
  const ports = p.icmp === undefined;
  return line({
    stack: record.stack,
    table: record.table,
    chain: record.chain,
    in: record.in,
    out: record.out,
    physIn: record.physin,
    physOut: record.physout,
    mark: record.mark,
    src: ports ? `${formatAddress(p.src)}:${p.sport}` : formatAddress(p.src),
    dst: ports ? `${formatAddress(p.dst)}:${p.dport}` : formatAddress(p.dst),
    protocol: p.protocol,
    flags: p.flags & ~TCP.PSH,
    icmp: p.icmp,
    ttl: p.ttl,
  });
}
