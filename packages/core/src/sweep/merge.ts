import { ToldError, text as told } from "../messages/index.ts";
import { SWEEP_SCHEMA } from "./json.ts";
import { byId, type Shard, type Sweep, type SweptClass } from "./swept.ts";

/** What somebody gave is no result of a sweep, or not all of it. */
export class BadMerge extends ToldError {}

interface Summary {
  readonly flows: number;
  readonly answered: number;
  readonly walks: number;
  readonly shard?: string;
  readonly input?: string;
}

/** Reads what `sweep --ndjson` printed. A shard that was killed has no last line, and says nothing. */
export function readSweep(text: string): Sweep | undefined {
  const lines = text.split("\n").filter((l) => l.trim() !== "");
  const parsed = lines.map((line, i): unknown => {
    try {
      return JSON.parse(line);
    } catch {
      if (i === lines.length - 1) return undefined;
      throw new BadMerge(told("error.merge-no-json", { line: i + 1 }));
    }
  });
  const last = parsed[parsed.length - 1];
  if (!isRecord(last) || last.schema !== SWEEP_SCHEMA) return undefined;
  const classes = parsed.slice(0, -1);
  if (!classes.every(isClass)) throw new BadMerge(told("error.merge-no-class"));
  const { flows, answered, walks, shard, input } = last as unknown as Summary;
  if (![flows, answered, walks].every((n) => typeof n === "number")) throw new BadMerge(told("error.merge-no-sum"));
  if (classes.reduce((n, c) => n + c.flows, 0) !== answered) throw new BadMerge(told("error.merge-not-whole"));
  const part = shard === undefined ? undefined : shardOf(String(shard));
  return {
    classes,
    flows,
    answered,
    walks,
    ...(part !== undefined && { shard: part }),
    ...(input !== undefined && { input: String(input) }),
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const isClass = (value: unknown): value is SweptClass =>
  isRecord(value) &&
  typeof value.id === "string" &&
  /^\d+\.\d+$/.test(value.id) &&
  typeof value.flows === "number" &&
  isRecord(value.from) &&
  isRecord(value.to) &&
  Array.isArray(value.causes) &&
  Array.isArray(value.facts) &&
  (value.fix === null || (isRecord(value.fix) && Array.isArray(value.fix.commands) && Array.isArray(value.fix.names)));

/** `I/N`, from 1. */
export function shardOf(text: string): Shard | undefined {
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(text);
  const [index, of] = [Number(match?.[1]), Number(match?.[2])];
  return match !== null && index >= 1 && index <= of ? { index, of } : undefined;
}

/** The shards of one sweep, put together as one run would have them. One that was repeated counts once. */
export function mergeSweeps(parts: readonly Sweep[]): Sweep {
  const shards = new Map<number, Sweep>();
  const counts = new Set(parts.map((p) => p.shard?.of ?? 1));
  if (parts.length === 0) throw new BadMerge(told("error.merge-none"));
  if (counts.size > 1) throw new BadMerge(told("error.merge-others", { counts: [...counts].map(String) }));
  const inputs = new Set(parts.map((p) => p.input));
  if (inputs.size > 1) throw new BadMerge(told("error.merge-inputs"));
  const [of = 1] = counts;
  const [input] = inputs;
  for (const part of parts) {
    const index = part.shard?.index ?? 1;
    const before = shards.get(index);
    // Of two runs of one shard, the one that came further.
    if (before === undefined || before.answered < part.answered) shards.set(index, part);
  }
  const missing = Array.from({ length: of }, (_, i) => i + 1).filter((i) => !shards.has(i));
  if (missing.length > 0) throw new BadMerge(told("error.merge-missing", { missing: missing.map(String), of }));
  const all = [...shards.values()];
  const total = (value: (s: Sweep) => number): number => all.reduce((n, s) => n + value(s), 0);
  return {
    classes: all.flatMap((s) => s.classes).sort(byId),
    flows: total((s) => s.flows),
    answered: total((s) => s.answered),
    walks: total((s) => s.walks),
    ...(input !== undefined && { input }),
  };
}
