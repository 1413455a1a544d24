import type { MaskedAddress, Match, Negatable, Rule, Target } from "../../model/index.ts";
import { applyMask, type PortRange } from "../../net/index.ts";
import { isStateful } from "./criteria.ts";

/** Targets after which the packet goes no further in this table, whatever follows. */
const TERMINAL: ReadonlySet<Target["kind"]> = new Set<Target["kind"]>([
  "accept",
  "drop",
  "return",
  "queue",
  "reject",
  "dnat",
  "snat",
  "masquerade",
  "redirect",
  "netmap",
]);

export const isTerminal = (target: Target): boolean => TERMINAL.has(target.kind);

const apart = (a: MaskedAddress, b: MaskedAddress): boolean => {
  const mask = applyMask(a.mask, b.mask);
  return applyMask(a.address, mask) !== applyMask(b.address, mask);
};
const within = (inner: MaskedAddress, outer: MaskedAddress): boolean =>
  applyMask(inner.mask, outer.mask) === outer.mask && !apart(inner, outer);

/** Whether no value fits both; where one is negated, whether the other lies wholly in what it leaves out. */
function exclude<T>(
  a: Negatable<T> | undefined,
  b: Negatable<T> | undefined,
  disjoint: (x: T, y: T) => boolean,
  inside: (inner: T, outer: T) => boolean,
): boolean {
  if (a === undefined || b === undefined) return false;
  if (!a.negated && !b.negated) return disjoint(a.value, b.value);
  if (a.negated && b.negated) return false;
  return a.negated ? inside(b.value, a.value) : inside(a.value, b.value);
}

const isWild = (name: string): boolean => name.endsWith("+");
const otherDevice = (x: string, y: string): boolean => !isWild(x) && !isWild(y) && x !== y;
const sameDevice = (x: string, y: string): boolean => !isWild(x) && x === y;
const otherRange = (x: PortRange, y: PortRange): boolean => x.to < y.from || y.to < x.from;
const rangeWithin = (x: PortRange, y: PortRange): boolean => x.from >= y.from && x.to <= y.to;

function portOf(rule: Rule, side: "sport" | "dport"): Negatable<PortRange> | undefined {
  for (const m of rule.matches) if ((m.kind === "tcp" || m.kind === "udp") && m[side] !== undefined) return m[side];
  return undefined;
}

const localness = (rule: Rule): boolean | undefined => {
  for (const m of rule.matches) {
    if (m.kind !== "addrtype" || m.destination === undefined) continue;
    if (m.destination.value.length === 1 && m.destination.value[0] === "LOCAL") return !m.destination.negated;
  }
  return undefined;
};

/** Whether no packet can match both. Only what no target of a chain changes is looked at: never marks. */
export function disjoint(a: Rule, b: Rule): boolean {
  if (exclude(a.destination, b.destination, apart, within)) return true;
  if (
    exclude(
      a.protocol,
      b.protocol,
      (x, y) => x !== y && x !== 0 && y !== 0,
      (x, y) => x === y,
    )
  )
    return true;
  if (exclude(portOf(a, "dport"), portOf(b, "dport"), otherRange, rangeWithin)) return true;
  if (exclude(a.source, b.source, apart, within)) return true;
  if (exclude(portOf(a, "sport"), portOf(b, "sport"), otherRange, rangeWithin)) return true;
  if (exclude(a.inInterface, b.inInterface, otherDevice, sameDevice)) return true;
  if (exclude(a.outInterface, b.outInterface, otherDevice, sameDevice)) return true;
  const [x, y] = [localness(a), localness(b)];
  return x !== undefined && y !== undefined && x !== y;
}

const MARKS: ReadonlySet<Match["kind"]> = new Set<Match["kind"]>(["mark", "connmark", "set", "tos", "dscp", "ttl"]);

/**
 * Whether two rules may change places: no packet matches both, or both do the very same thing (`sameTarget`) and neither
 * asks for what that may have changed, nor for anything that counts how often it is asked.
 */
export function commute(a: Rule, b: Rule, sameTarget: boolean): boolean {
  if (a.matches.some(isStateful) || b.matches.some(isStateful)) return false;
  if (disjoint(a, b)) return true;
  if (!sameTarget) return false;
  if (isTerminal(a.target)) return true;
  return !a.matches.some((m) => MARKS.has(m.kind)) && !b.matches.some((m) => MARKS.has(m.kind));
}
