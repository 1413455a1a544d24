import { type SettledFact, settledBy } from "../evidence/index.ts";
import { text } from "../messages/index.ts";
import type { ObservedLogLine, ObservedPacket, ReadOrigin } from "../model/index.ts";
import { type Exploration, narrow } from "../trace/index.ts";
import { candidatesOf } from "./candidates.ts";
import { MARK } from "./commands.ts";
import { planOf, predictAll } from "./plan.ts";
import type { CaptureProbe } from "./probe.ts";

/** What the output of probes, pasted back, leaves of the hypotheses. */
export interface Settled {
  readonly exploration: Exploration;
  readonly facts: readonly SettledFact[];
}

const NAMED = new RegExp(`${MARK}([0-9a-f]{6})\\b`);

/** Whether rules of `instrument` have spoken. */
export const wereWatched = (log: readonly ObservedLogLine[]): boolean => log.some((l) => NAMED.test(l.prefix));

/**
 * Lines that our own LOG rules wrote name their probe. A hypothesis is out if it never passes a place where the packet was
 * seen, or if it always passes one where it was not. Silence counts only for a probe of the plan on a machine where another one
 * spoke: elsewhere nobody may have looked. Where no hypothesis is left the walk itself is contradicted, and nothing is taken away.
 * `watched` is the same question walked where probes can lie (see watchable); it is asked for only when there is something to settle.
 */
export function settle(
  exploration: Exploration,
  watched: () => Exploration,
  log: readonly ObservedLogLine[],
  packets: readonly ObservedPacket[] = [],
): Settled | undefined {
  const spoke = new Map<string, ReadOrigin>();
  for (const line of log) {
    const id = NAMED.exec(line.prefix)?.[1];
    if (id !== undefined && !spoke.has(id)) spoke.set(id, line.origin);
  }
  if (spoke.size === 0 || exploration.facts.length === 0) return undefined;
  const walked = watched();
  const { probes } = candidatesOf(walked);
  const captures = probes.filter((p) => p.kind === "capture");
  for (const packet of packets) {
    const places = captures.filter((p) => captured(packet, p));
    // Without its device's name, a packet that several places would have shown tells of none.
    if (places.length === 1 && !spoke.has(places[0]!.id)) spoke.set(places[0]!.id, packet.origin);
  }
  const heard = probes.filter((p) => spoke.has(p.id));
  const machines = new Set(heard.filter((p) => p.kind === "log").map((p) => p.stack));
  const silent = (planOf(walked)?.probes ?? []).filter(
    (p) => p.kind === "log" && machines.has(p.stack) && !spoke.has(p.id),
  );
  const left = predictAll(walked, [...heard, ...silent])
    .filter(({ seen }) => seen.every(({ probe, when }) => (spoke.has(probe.id) ? when !== "never" : when !== "always")))
    .map((p) => p.hypothesis);
  if (left.length === 0) return undefined;
  const narrowed = narrow(exploration, left);
  if (narrowed.facts.size === 0) return undefined;
  const where = heard.map((p) => spoke.get(p.id)!).map((o) => `${o.file}:${o.line}`);
  const single = [...narrowed.facts].flatMap(([id, values]) =>
    values.length === 1 ? [[id, values[0]!] as const] : [],
  );
  // Whoever walks on from here, to prove a cause or a fix, need not ask again.
  const fixed = new Map([...exploration.fixed, ...single]);
  return {
    exploration: { ...narrowed.exploration, fixed },
    facts: settledBy(narrowed.facts, text("evidence.instrumented", { where })),
  };
}

function captured({ place, device, direction, ip }: ObservedPacket, probe: CaptureProbe): boolean {
  const on = device ?? place.device;
  if (ip === undefined || (place.stack ?? place.node) !== probe.stack) return false;
  if (on !== undefined && on !== probe.device && on !== "any") return false;
  if (direction !== undefined && direction !== probe.way) return false;
  const { protocol, ...ends } = probe.filter;
  // Another connection of the same host must not be taken for this one.
  if (ends.src === undefined || ends.dst === undefined) return false;
  if (ip.protocol !== undefined && ip.protocol !== protocol) return false;
  return Object.entries(ends).every(([name, value]) => sameValue(ip[name as keyof typeof ends], value));
}

const sameValue = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
