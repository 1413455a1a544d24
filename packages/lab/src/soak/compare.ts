import type { Conntrack, Tuple } from "@hairpin/core/datapath/index.ts";
import { type Device, type Port, TCP, type World } from "@hairpin/core/model/index.ts";
import { formatAddress, isIpv4, PROTO, protocolName } from "@hairpin/core/net/index.ts";
import type { ScriptRun, ScriptSight } from "@hairpin/core/trace/walk/script.ts";
import { isVxlanPort } from "../decode/packet.ts";
import { isHousekeeping } from "../housekeeping.ts";
import type {
  ClientResult,
  ConntrackRecord,
  HookRecord,
  ObservedPacket,
  StackState,
  StimulusObservation,
} from "../observation.ts";
import { carriedBy, observedLine, predictedLine } from "./lines.ts";
import { INJECTED_SEQUENCE, type SoakStep } from "./scenario.ts";

/** What the process was told, in the walk's words; undefined where nobody was. */
export function heardOf(step: SoakStep, r: ClientResult): string | undefined {
  if (step.kind === "inject" || step.kind === "close" || step.kind === "change") return undefined;
  if (r.outcome === "connected") return "connected";
  if (r.outcome === "timeout")
    return r.phase === "data" && step.kind !== "udp" && step.kind !== "ping" ? "stalled" : "timeout";
  if (r.outcome === "icmp") return `icmp ${r.icmp?.type}/${r.icmp?.code}`;
  return r.errno ?? r.outcome;
}

/** Without bare acknowledgements, whose time is the kernel's own business, and without what was sent twice. */
function relevant(step: SoakStep, hooks: readonly HookRecord[]): readonly HookRecord[] {
  const seen = new Set<string>();
  return hooks.filter((h) => {
    const p = carriedBy(h.packet);
    if (isHousekeeping(p)) return false;
    // Redirects are sent at a rate that depends on time (ip_rt_send_redirect); the walk leaves them out.
    if (p.protocol === PROTO.icmp && p.icmp?.type === 5) return false;
    // Neither a ping nor a datagram causes TCP: an error that quotes it answers an acknowledgement that came late.
    if ((step.kind === "ping" || step.kind === "udp") && p.icmp !== undefined && p.inner?.protocol === PROTO.tcp)
      return false;
    if (p.protocol !== PROTO.tcp) return true;
    // A FIN belongs to the step that closes; later it is sent again because nobody answered, when the timer says so.
    if (p.flags & TCP.FIN && step.kind !== "close" && step.kind !== "inject") return false;
    if (isBare(h) && !isNat(h) && !(step.kind === "inject" && p.seq === INJECTED_SEQUENCE)) return false;
    // A RST is never sent again, but two may be alike.
    if (step.kind === "inject" || p.flags & TCP.RST) return true;
    const again = `${h.stack} ${h.backend} ${h.table} ${h.native?.chain ?? ""}/${h.chain} ${p.flags} ${p.seq} ${p.ack} ${h.in} ${h.out} ${h.packet.length} ${ends(h.packet)} ${ends(p)} ${p.ttl}`;
    if (seen.has(again)) return false;
    seen.add(again);
    return true;
  });
}

/**
 * Stacks whose tunnels carried some of it: conntrack has entries of its outer packets. A VXLAN that speaks IPv6 solicits routers and reports its groups
 * by itself (addrconf_rs_timer(), mld_send_report()), between the steps as well.
 */
export const carriers = (world: World, seen: readonly StimulusObservation[]): ReadonlySet<string> =>
  new Set([
    ...seen.flatMap(({ hooks }) =>
      hooks.filter((h) => carriedBy(h.packet) !== h.packet && isHousekeeping(carriedBy(h.packet))).map((h) => h.stack),
    ),
    ...world.stacks.filter((s) => s.devices.items.some(solicits)).map((s) => s.name),
  ]);

const solicits = ({ kind, addresses }: Device): boolean =>
  kind === "vxlan" && addresses.some((a) => !isIpv4(a.prefix.address));

/** The nat table, or a native chain of that type: the first packet of a connection passes it. */
const isNat = ({ table, native }: Pick<HookRecord, "table" | "native">): boolean =>
  native === undefined ? table === "nat" : native.nat;

const ends = ({ src, dst }: ObservedPacket): string => `${formatAddress(src)} ${formatAddress(dst)}`;

/** An acknowledgement without data, in whatever tunnel. */
const isBare = ({ packet }: HookRecord): boolean => {
  const p = carriedBy(packet);
  return p.protocol === PROTO.tcp && p.payload === 0 && (p.flags & (TCP.SYN | TCP.FIN | TCP.RST)) === 0;
};

/**
 * Lines of bare acknowledgements in the nat table. An acknowledgement may be delayed beyond the step that caused it, so
 * what only one side has of them tells nothing.
 */
function delayable(
  step: SoakStep,
  sight: ScriptSight,
  observed: StimulusObservation,
  states: boolean,
): ReadonlySet<string> {
  if (step.kind === "inject") return new Set();
  const ours = sight.acknowledgements.filter(isNat).map((h) => predictedLine(h, states));
  const theirs = relevant(step, observed.hooks).filter(isBare).map(observedLine);
  return new Set([...ours, ...theirs].map((l) => l.text));
}

/**
 * Lines that the kernel has of a bare acknowledgement, in a step with a RST. If a rule answers the acknowledgement with that RST, the socket is gone
 * before its program sends; whether it is sent for itself or with the data is a timer's to say, so the walk may have the same line of the data.
 */
function silenced({ hooks }: StimulusObservation): readonly Lines[] {
  const reset = hooks.some(({ packet }) => {
    const p = carriedBy(packet);
    return p.protocol === PROTO.tcp && (p.flags & TCP.RST) !== 0;
  });
  return reset ? hooks.filter(isBare).map(observedLine) : [];
}
const WALK_ALONE = "only the walk: ";
const KERNEL_ALONE = "only the kernel: ";

/**
 * Of what differs in a stack, without the marks that rules of the nat table gave to a bare acknowledgement: it was the first packet of a connection in mid-stream, where the
 * walk has the data behind it, and which of them is first is a timer's to say.
 */
function withoutFirstMarks(different: readonly string[], stack: string, { hooks }: StimulusObservation) {
  const bare = hooks.filter((h) => h.stack === stack && isBare(h));
  if (!bare.some(isNat)) return different;
  const first = new Set(bare.map((h) => `${WALK_ALONE}${observedLine(h).text}`));
  const marked = different.filter((d) => first.has(d) && MARKED.test(d));
  const later = new Set(marked.map((d) => d.replace(WALK_ALONE, KERNEL_ALONE).replace(MARKED, "")));
  return different.filter((d) => !marked.includes(d) && !later.has(d.replace(MARKED, "")));
}
const MARKED = / mark=\S+/;

export interface Lines {
  readonly stack: string;
  readonly text: string;
}

export const kernelLines = (step: SoakStep, sighted: StimulusObservation): readonly Lines[] =>
  relevant(step, sighted.hooks).map(observedLine);
export const walkLines = (sight: ScriptSight, states: boolean): readonly Lines[] =>
  [...sight.hooks, ...sight.acknowledgements.filter(isNat)].map((hook) => predictedLine(hook, states));

/**
 * The nat table is walked by the first packet of a connection, and in mid-stream that may be data or the bare
 * acknowledgement before it; and what answers the one with a RST or an error may answer the other, too, be it in a VXLAN.
 */
const ONCE =
  /^(?:nft [^/]*)?\bnat\/.* tcp ACK ttl=| tcp RST(?:,ACK)? ttl=| (?:ipv6-)?icmp type (?:1|3|11) .*(?: tcp|:(?:4789|8472) udp)\]/;
const once = (lines: readonly string[]): readonly string[] =>
  lines.filter((line, i) => !ONCE.test(line) || lines.indexOf(line) === i);

/** In how many segments much data travels, and in how many of them the stack hands it on (GSO), is TCP's own business. */
const isStream = (step: SoakStep): boolean =>
  (step.kind === "connect" || step.kind === "send") && step.size !== undefined;
/**
 * Lines of what is shorter than a full segment: the end of a stream, which goes by itself where the path does not carry the rest, or when TCP asks with it
 * whether the rest arrived (tcp_send_loss_probe()). The walk sends the first segment alone.
 */
function tails(step: SoakStep, { hooks }: StimulusObservation): ReadonlySet<string> {
  const size = step.kind === "connect" || step.kind === "send" ? step.size : undefined;
  if (size === undefined) return new Set();
  const short = hooks.filter(({ packet }) => {
    const { protocol, payload, src } = carriedBy(packet);
    const headers = isIpv4(src) ? SEGMENT_HEADERS : SEGMENT_HEADERS + 20;
    return protocol === PROTO.tcp && payload > 0 && payload + headers < size;
  });
  return new Set(short.map((h) => `${KERNEL_ALONE}${observedLine(h).text}`));
}
/** Of IPv4 and TCP, with timestamps. */
const SEGMENT_HEADERS = 52;
const distinct = (lines: readonly string[]): readonly string[] => [...new Set(lines)];

/**
 * A datagram's hash is its socket's (skb_set_hash_from_sk): the same asked again may travel in a VXLAN's packets of another source
 * port, which are then new to conntrack. Who answers the same SYN twice draws a hash for each (tcp_conn_request), and a RST without a socket has a hash of
 * its own.
 */
const REHASHED =
  /^only the kernel: (?:nft [^/]*)?\bnat\/\S+ in=\S+ out=\S+ \S+:\* > .* carrying \S+ > \S+ (?:udp|tcp SYN,ACK|tcp RST(?:,ACK)?) /;

/** Nothing was sent: which errno that is depends on how the connection came to its end. */
const NOT_CONNECTED = "not connected";

/** What of one step differs; empty: nothing. */
export function differences(
  step: SoakStep,
  sight: ScriptSight,
  noticed: StimulusObservation,
  states: boolean,
): readonly string[] {
  const found: string[] = [];
  const heard = heardOf(step, noticed.result);
  if (heard !== undefined && heard !== sight.heard && sight.heard !== NOT_CONNECTED) {
    found.push(`the client hears ${heard}; the walk says ${sight.heard}`);
  }
  const ours = walkLines(sight, states);
  const theirs = kernelLines(step, noticed);
  const late = delayable(step, sight, noticed, states);
  const unsent = silenced(noticed);
  const short = tails(step, noticed);
  const count = isStream(step) ? distinct : once;
  for (const stack of new Set([...ours, ...theirs].map((l) => l.stack))) {
    const of = (lines: readonly Lines[]) => count(lines.filter((l) => l.stack === stack).map((l) => l.text));
    const [mine, its] = [of(ours), of(theirs)];
    const different = withoutFirstMarks(unmatched(mine, its), stack, noticed)
      .filter((d) => !late.has(d.replace(/^only the (?:walk|kernel): /, "")))
      .filter((d) => !REHASHED.test(d) && !short.has(d))
      .filter((d) => !unsent.some((l) => l.stack === stack && fits(`${WALK_ALONE}${l.text}`, d)));
    const whole = its.filter((line) => !short.has(`${KERNEL_ALONE}${line}`));
    found.push(
      ...[...different, ...(different.length > 0 ? [] : misordered(mine, whole))].map((text) => `${stack}: ${text}`),
    );
  }
  return found;
}

/** Lines of one side that the other lacks. Packets on different processors may overtake each other, so order is left aside. */
function unmatched(ours: readonly string[], theirs: readonly string[]): readonly string[] {
  const left = [...theirs];
  const missing: string[] = [];
  for (const exact of [true, false]) {
    for (const line of ours) {
      if (line.includes("*") === exact) continue;
      const at = exact ? left.indexOf(line) : left.findIndex((l) => fits(l, line));
      if (at < 0) missing.push(`${WALK_ALONE}${line}`);
      else left.splice(at, 1);
    }
  }
  // With a port that is drawn for each, those of ONCE are not the same line.
  const more = left.filter((line) => !(ONCE.test(line) && ours.some((l) => l.includes("*") && fits(line, l))));
  return [...missing, ...more.map((line) => `${KERNEL_ALONE}${line}`)];
}

/** Which tables one packet passes at one hook, in which order. Between packets the order is the processors'. */
function misordered(ours: readonly string[], theirs: readonly string[]): readonly string[] {
  const orders = (lines: readonly string[]) => {
    const found = new Map<string, string[]>();
    for (const line of lines.filter((l) => !ONCE.test(l))) {
      const [, table, rest] = /^((?:nft )?[^/]+)\/(.*)$/.exec(line.replace(/ (?:mark|ct)=\S+/g, "")) ?? [];
      if (table === undefined || rest === undefined || rest.includes("*")) continue;
      const tables = found.get(rest) ?? [];
      found.set(rest, tables);
      tables.push(table);
    }
    return found;
  };
  const mine = orders(ours);
  return [...orders(theirs)].flatMap(([packet, tables]) => {
    // Absent: the walk knows one of its ports only as a star.
    const other = mine.get(packet)?.join(", ");
    return other === undefined || other === tables.join(", ")
      ? []
      : [`${packet}: the kernel passes ${tables.join(", ")}; the walk ${other}`];
  });
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** A port the walk knows only as a set is a star. */
const fits = (line: string, pattern: string): boolean =>
  new RegExp(`^${escaped(pattern).replace(/([:=])\\\*/g, "$1(?:\\d+|\\*)")}$`).test(line);

const port = (p: Port): string => (typeof p === "number" ? String(p) : "*");
const tuple = (t: Tuple): string =>
  `${formatAddress(t.src)}:${port(t.sport)} > ${formatAddress(t.dst)}:${port(t.dport)}`;

const SEEN_REPLY = 2;
const SRC_NAT = 16;
const DST_NAT = 32;

const walkEntry = (ct: Conntrack): string =>
  [
    protocolName(ct.tuple.original.protocol),
    tuple(ct.tuple.original),
    "|",
    tuple(ct.tuple.reply),
    ct.tuple.original.protocol === PROTO.tcp ? tcpState(ct.tcpState) : "",
    ct.seenReply ? "replied" : "",
    ct.srcNat ? "snat" : "",
    ct.dstNat ? "dnat" : "",
    ...(ct.tuple.original.protocol === PROTO.tcp ? [] : [`mark=${ct.mark}`]),
  ]
    .filter((w) => w !== "")
    .join(" ");

/** How far a closing connection got depends on how often its FIN was sent again by then. */
const tcpState = (state: string): string =>
  ["FIN_WAIT", "CLOSE_WAIT", "LAST_ACK", "TIME_WAIT"].includes(state) ? "closing" : state;

/** Entries of a VXLAN's own packets: their source ports are hashes of what they carry, so how many there are is chance. */
const outerOnce = (lines: readonly string[]): readonly string[] =>
  lines.filter((line, i) => !/^udp \S+:\* > \S+:(?:4789|8472) /.test(line) || lines.indexOf(line) === i);

/** The source port of a VXLAN is a hash, which nobody knows beforehand. */
const hashed = (text: string, { protocol, dport }: Tuple): string =>
  protocol === PROTO.udp && typeof dport === "number" && isVxlanPort(dport)
    ? text.replace(/:\d+ > /, ":* > ").replace(/:\d+$/, ":*")
    : text;

const kernelEntry = (ct: ConntrackRecord): string =>
  [
    protocolName(ct.original.protocol),
    hashed(`${tuple(ct.original)} | ${tuple(ct.reply)}`, ct.original),
    ct.original.protocol === PROTO.tcp ? tcpState(ct.tcpState ?? "?") : "",
    ct.status & SEEN_REPLY ? "replied" : "",
    ct.status & SRC_NAT ? "snat" : "",
    ct.status & DST_NAT ? "dnat" : "",
    // Of TCP the last bare acknowledgement decides, and when that comes is the kernel's own business.
    ...(ct.original.protocol === PROTO.tcp ? [] : [`mark=${ct.mark}`]),
  ]
    .filter((w) => w !== "")
    .join(" ");

/** Seconds an entry is kept that nothing renews: nf_ct_tcp_timeouts, nf_ct_icmp_timeout, nf_ct_udp_timeouts. */
const KEPT: readonly (readonly [RegExp, number])[] = [
  [/^only the walk: tcp .* CLOSE(?: |$)/, 10],
  [/^only the walk: tcp .* closing(?: |$)/, 30],
  [/^only the walk: icmp /, 30],
  [/^only the walk: udp (?!.* replied)/, 30],
  [/^only the walk: tcp .* SYN_RECV(?: |$)/, 60],
];

/** An entry may have run out where the steps took as long as it is kept: an emulated kernel or a busy machine is slow. */
const mayBeGone = (text: string, milliseconds: number): boolean =>
  KEPT.some(([entry, seconds]) => milliseconds >= seconds * 1000 && entry.test(text));

/** What of the connections kept at the end differs. */
export function trackedDifferences(
  run: ScriptRun,
  states: readonly StackState[],
  milliseconds: number,
  carrying: ReadonlySet<string> = new Set(),
): readonly string[] {
  return states.flatMap(({ stack, conntrack }) => {
    const kept = conntrack.map(kernelEntry);
    return unmatched(outerOnce((run.conntrack.get(stack) ?? []).map(walkEntry)), outerOnce(kept))
      .filter((text) => !mayBeGone(text, milliseconds) && !mayBeEvicted(text, kept))
      .filter((text) => !carrying.has(stack) || !/^only the kernel: udp \S+:\* > /.test(text))
      .map((text) => `${stack} conntrack: ${text}`);
  });
}

/**
 * nf_nat_used_tuple_harder(): who draws a source port that a connection still has which is closed evicts that one; where in a range the search begins is
 * chance. There is another to the same end then, from the same address.
 */
function mayBeEvicted(text: string, kept: readonly string[]): boolean {
  const [, ends] = /^only the walk: tcp .* (\| \S+ > \S+:)\* (?:CLOSE|closing) .*\bsnat\b/.exec(text) ?? [];
  return ends !== undefined && kept.some((entry) => entry.startsWith("tcp ") && entry.includes(ends));
}
