import type { ObservedIp, ObservedLogLine } from "../model/index.ts";
import { endText, flowText, hostText } from "./endpoint-text.ts";

export type LoggedHook = "PREROUTING" | "INPUT" | "FORWARD" | "OUTPUT" | "POSTROUTING";

/** One line of the log as a step of its packet's way. */
export interface LoggedStep {
  readonly line: ObservedLogLine;
  readonly hook?: LoggedHook;
  readonly table?: string;
  readonly chain?: string;
  /** What is otherwise than a step before. */
  readonly changed: readonly string[];
}

/** All lines about one packet, in order. */
export interface LoggedPacket {
  readonly ip: ObservedIp;
  readonly steps: readonly LoggedStep[];
}

const HOOK_WORDS: readonly (readonly [RegExp, LoggedHook])[] = [
  [/pre-?(?:routing)?\b/i, "PREROUTING"],
  [/post-?(?:routing)?\b/i, "POSTROUTING"],
  [/\b(?:forward|fwd|forw)/i, "FORWARD"],
  [/\b(?:output|out)\b/i, "OUTPUT"],
  [/\b(?:input|in)\b/i, "INPUT"],
];

/** The hook a LOG rule stood in: by its devices, and by its prefix where they leave it open. */
function hookOf(line: ObservedLogLine): LoggedHook | undefined {
  const chain = line.trace?.chain?.toUpperCase();
  if (chain !== undefined && /^(?:PREROUTING|INPUT|FORWARD|OUTPUT|POSTROUTING)$/.test(chain))
    return chain as LoggedHook;
  if (line.in !== undefined && line.out !== undefined) return "FORWARD";
  const named = HOOK_WORDS.find(([pattern]) => pattern.test(line.prefix))?.[1];
  // OUT alone is OUTPUT or POSTROUTING, IN alone PREROUTING or INPUT.
  if (line.out !== undefined) return named === "OUTPUT" || named === "POSTROUTING" ? named : undefined;
  if (line.in !== undefined) return named === "PREROUTING" || named === "INPUT" ? named : undefined;
  return named;
}

const tableOf = (line: ObservedLogLine): string | undefined =>
  line.trace?.table ?? /\b(raw|mangle|nat|filter|security)\b/i.exec(line.prefix)?.[1]?.toLowerCase();

function changes(from: ObservedLogLine, to: ObservedLogLine): readonly string[] {
  const list: string[] = [];
  const [a, b] = [from.ip, to.ip];
  if (a !== undefined && b !== undefined) {
    if (endText(a.dst, a.dport) !== endText(b.dst, b.dport))
      list.push(`destination ${endText(a.dst, a.dport)} became ${endText(b.dst, b.dport)}`);
    if (endText(a.src, a.sport) !== endText(b.src, b.sport))
      list.push(`source ${endText(a.src, a.sport)} became ${endText(b.src, b.sport)}`);
    if (a.ttl !== undefined && b.ttl !== undefined && b.ttl < a.ttl) list.push(`TTL ${a.ttl} became ${b.ttl}`);
  }
  if (from.out !== undefined && to.out !== undefined && from.out !== to.out)
    list.push(`leaves by ${to.out} instead of ${from.out}`);
  if (from.mark !== to.mark && to.mark !== undefined) list.push(`mark 0x${to.mark.toString(16)}`);
  return list;
}

/** Lines of one packet may be this far apart: slow consoles. */
const MAX_GAP = 2;

function samePacket(a: ObservedLogLine, b: ObservedLogLine): boolean {
  if (a.place.node !== b.place.node || a.place.stack !== b.place.stack) return false;
  if (a.trace?.id !== undefined || b.trace?.id !== undefined) return a.trace?.id === b.trace?.id;
  const [x, y] = [a.ip, b.ip];
  if (x === undefined || y === undefined || x.protocol !== y.protocol || x.length !== y.length) return false;
  if (a.time !== undefined && b.time !== undefined && a.time.base === b.time.base)
    if (Math.abs(b.time.seconds - a.time.seconds) > MAX_GAP) return false;
  if (x.id !== y.id || x.tcp?.seq !== y.tcp?.seq || x.tcp?.flags !== y.tcp?.flags) return false;
  if (x.icmp?.id !== y.icmp?.id || x.icmp?.seq !== y.icmp?.seq || x.icmp?.type !== y.icmp?.type) return false;
  if (flowText(x) === flowText(y)) return true;
  // Translated in between: the id still says it is the same; a packet that must not be fragmented may have none.
  const oneEnd = hostText(x.src) === hostText(y.src) || hostText(x.dst) === hostText(y.dst);
  return oneEnd && ((x.id ?? 0) !== 0 || x.tcp?.seq !== undefined);
}

/** Where in the order of hooks a line stands; going back means that another packet begins. */
const ORDER: Readonly<Record<LoggedHook, number>> = { PREROUTING: 0, INPUT: 1, FORWARD: 1, OUTPUT: 0, POSTROUTING: 2 };

/** Puts the lines of a log together to packets, and each packet's lines to its way through the hooks. */
export function loggedPackets(lines: readonly ObservedLogLine[]): readonly LoggedPacket[] {
  const packets: { steps: LoggedStep[]; last: ObservedLogLine }[] = [];
  const byId = new Map<string, { steps: LoggedStep[]; last: ObservedLogLine }>();
  for (const line of lines) {
    const id =
      line.trace?.id === undefined ? undefined : `${line.place.node}/${line.place.stack ?? ""}/${line.trace.id}`;
    const table = tableOf(line);
    const hook = hookOf(line);
    const recent = id === undefined ? packets.slice(-8).reverse() : [];
    const open =
      id !== undefined
        ? byId.get(id)
        : recent.find((p) => samePacket(p.last, line) && !goesBack(p.steps[p.steps.length - 1]?.hook, hook));
    const before = open?.last;
    // A trace's rule line names the packet by its id only.
    const full: ObservedLogLine =
      line.ip === undefined && before?.ip !== undefined
        ? {
            ...line,
            ip: before.ip,
            ...(before.in === undefined ? {} : { in: before.in }),
            ...(before.out === undefined ? {} : { out: before.out }),
          }
        : line;
    const step: LoggedStep = {
      line: full,
      ...(hook === undefined ? {} : { hook }),
      ...(table === undefined ? {} : { table }),
      ...(line.trace?.chain === undefined ? {} : { chain: line.trace.chain }),
      changed: before === undefined ? [] : changes(before, full),
    };
    if (open !== undefined) {
      open.steps.push(step);
      open.last = full;
    } else {
      const fresh = { steps: [step], last: full };
      packets.push(fresh);
      if (id !== undefined) byId.set(id, fresh);
    }
  }
  return packets.flatMap(({ steps }) => {
    const ip = steps.find((s) => s.line.ip !== undefined)?.line.ip;
    return ip === undefined ? [] : [{ ip, steps }];
  });
}

const goesBack = (from: LoggedHook | undefined, to: LoggedHook | undefined): boolean =>
  from !== undefined && to !== undefined && ORDER[to] < ORDER[from];
