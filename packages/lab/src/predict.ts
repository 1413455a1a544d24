import { type HookStep, type Packet, type Port, type Step, TCP } from "@hairpin/core/model/index.ts";
import { formatAddress, PROTO, protocolName } from "@hairpin/core/net/index.ts";
import { type Branch, type Leg, legsOf } from "@hairpin/core/trace/index.ts";
import type { HookRecord, ObservedPacket } from "./observation.ts";

/**
 * One traversal of a table as a line, the same for the walk and for the kernel, so that the two can be laid side by side:
 * `nat/PREROUTING in=eth0 out=- 10.0.0.1:40000 > 10.0.0.2:80 tcp SYN ttl=64 ct=NEW`. A port or id of which only the
 * set it is drawn from is known is a star.
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
const flagNames = (flags: number): string =>
  FLAGS.filter(([, bit]) => flags & bit)
    .map(([name]) => name)
    .join(",");

const port = (p: Port): string => (typeof p === "number" ? String(p) : "*");

/** What both engines know of a packet: addresses, ports, flags, TTL, and for an ICMP error the packet it quotes. */
export function packetText(p: Packet | ObservedPacket): string {
  const ends =
    p.icmp === undefined
      ? `${formatAddress(p.src)}:${port(p.sport)} > ${formatAddress(p.dst)}:${port(p.dport)}`
      : `${formatAddress(p.src)} > ${formatAddress(p.dst)}`;
  const flags = flagNames("tcpFlags" in p ? p.tcpFlags : p.flags);
  const inner = innerOf(p);
  const parts = [
    ends,
    protocolName(p.protocol),
    ...(flags === "" ? [] : [flags]),
    ...(p.icmp === undefined ? [] : [`type ${p.icmp.type} code ${p.icmp.code}`]),
    ...(p.icmp === undefined || inner !== undefined ? [] : [`id=${port(p.icmp.id ?? 0)}`]),
    `ttl=${p.ttl}`,
    ...(p.tos === 0 ? [] : [`tos=0x${p.tos.toString(16)}`]),
    ...(inner === undefined ? [] : [`[${quoted(inner)}]`]),
  ];
  return parts.join(" ");
}

const innerOf = (p: Packet | ObservedPacket): Packet | ObservedPacket | undefined =>
  p.icmp === undefined ? undefined : "inner" in p ? p.inner : (p as Packet).icmp?.inner;

function quoted(p: Packet | ObservedPacket): string {
  const name = protocolName(p.protocol);
  if (p.icmp !== undefined) return `${formatAddress(p.src)} > ${formatAddress(p.dst)} ${name} type ${p.icmp.type}`;
  return `${formatAddress(p.src)}:${port(p.sport)} > ${formatAddress(p.dst)}:${port(p.dport)} ${name}`;
}

interface HookSite {
  readonly backend: string;
  readonly table: string;
  readonly chain: string;
  readonly native: HookStep["native"];
  readonly in: string;
  readonly out: string;
  readonly physIn: string;
  readonly physOut: string;
  readonly mark: number;
  readonly ct: string | undefined;
}

/** Of a nat chain said so: only the first packet of a connection passes it. */
const nativeText = (native: HookSite["native"]): string =>
  native === undefined ? "" : ` ${native.chain}${native.nat ? " nat" : ""}`;

function hookText(at: HookSite, packet: Packet | ObservedPacket): string {
  return [
    `${at.backend === "nft" ? "nft " : ""}${at.table}${nativeText(at.native)}/${at.chain}`,
    `in=${at.in || "-"}`,
    `out=${at.out || "-"}`,
    ...(at.physIn === "" ? [] : [`physin=${at.physIn}`]),
    ...(at.physOut === "" ? [] : [`physout=${at.physOut}`]),
    packetText(packet),
    ...(at.mark === 0 ? [] : [`mark=0x${at.mark.toString(16)}`]),
    ...(at.ct === undefined ? [] : [`ct=${at.ct}`]),
  ].join(" ");
}

/** What the walk says a hook will see. `states`: with that of conntrack. */
export function predictedHook(step: HookStep, states: boolean): HookLine {
  const place: HookSite = {
    backend: step.backend,
    table: step.table,
    chain: step.hook,
    native: step.native,
    in: step.in,
    out: step.out,
    // NFLOG tells the port a frame came in by only beside the device it came in by (nfulnl_log_packet).
    physIn: step.in === "" ? "" : (step.physIn ?? ""),
    physOut: step.physOut ?? "",
    mark: step.mark,
    // A log statement in a table of both families tells no state in some kernels (6.1).
    ct: states && step.native === undefined ? step.ct : undefined,
  };
  return { stack: step.stack, text: hookText(place, step.packet) };
}

export const allLegsOf = (branch: Branch): readonly Leg[] => [...legsOf(branch), ...branch.aftermath];

export const stepsOf = (branch: Branch): readonly Step[] => allLegsOf(branch).flatMap((leg) => leg.steps);

/** Without those of redirects. */
export const comparedSteps = (branch: Branch): readonly Step[] =>
  allLegsOf(branch).flatMap((leg) => (isRedirect(leg) ? [] : leg.steps));

/** Redirects are compared apart: the walk plays one for each packet, and only where something was lost (compare/redirects.ts). */
const isRedirect = ({ final }: Leg): boolean => final.protocol === PROTO.icmp && final.icmp?.type === 5;

/** Somebody is told of a shorter way. */
export const hearsRedirect = (branch: Branch): boolean =>
  branch.aftermath.some((leg) => isRedirect(leg) && leg.disposition === "delivered");

const hooksOf = (legs: readonly Leg[], states: boolean): readonly HookLine[] =>
  legs.flatMap((leg) => leg.steps).flatMap((step) => (step.kind === "hook" ? [predictedHook(step, states)] : []));

/** What the walk says the hooks of every stack will see, leg after leg. `states`: with conntrack's. */
export const predictedHooks = (branch: Branch, states = true): readonly HookLine[] =>
  hooksOf(
    allLegsOf(branch).filter((leg) => !isRedirect(leg)),
    states,
  );

/** The same of the first redirect between each two. */
export function predictedRedirects(branch: Branch, states = true): readonly HookLine[] {
  const legs = allLegsOf(branch).filter(isRedirect);
  const ends = ({ final }: Leg): string => `${formatAddress(final.src)} ${formatAddress(final.dst)}`;
  return hooksOf(
    legs.filter((leg, i) => legs.findIndex((other) => ends(other) === ends(leg)) === i),
    states,
  );
}

/** What the kernel's hooks saw. */
export function observedHook(record: HookRecord): HookLine {
  const place: HookSite = {
    ...record,
    native: record.native,
    physIn: record.physin,
    physOut: record.physout,
    ct: record.native === undefined ? record.ct : undefined,
  };
  return { stack: record.stack, text: hookText(place, record.packet) };
}
