import { dialects as bridge } from "@hairpin/core/parse/bridge/index.ts";
import type { Dialect, DumpContext } from "@hairpin/core/parse/dialect.ts";
import { dialects as iproute2 } from "@hairpin/core/parse/iproute2/index.ts";
import { dialects as netTools } from "@hairpin/core/parse/net-tools/index.ts";
import type { Source } from "@hairpin/core/parse/source.ts";

export const all: readonly Dialect[] = [...iproute2, ...bridge, ...netTools];
export const dialect = (id: string): Dialect => {
  const found = all.find((d) => d.id === id);
  if (found === undefined) throw new Error(`no dialect ${id}`);
  return found;
};

/** A run of lines under one echoed command. The product's own transcripts do much more; this is enough for dumps. */
export interface Segment {
  readonly source: Source;
  readonly context: DumpContext;
}

export function segmentsOf(file: string, text: string): Segment[] {
  const result: Segment[] = [];
  let lines: string[] = [];
  let firstLine = 1;
  let context: DumpContext = {};
  const flush = (): void => {
    if (lines.some((l) => l.trim() !== "")) result.push({ source: { file, lines, firstLine }, context });
    lines = [];
  };
  for (const [i, line] of text.split("\n").entries()) {
    const prompt = /^(?:\[[^\]]+\])?[$#] (.*)$/.exec(line);
    if (prompt === null) {
      lines.push(line);
      continue;
    }
    flush();
    firstLine = i + 2;
    const [command = "", ...pipes] = prompt[1]!.split("|");
    const words = command.trim().split(/\s+/);
    context = {
      command: words,
      ...(pipes.length > 0 ? { partial: { value: pipes.join("|").trim(), by: "command" } } : {}),
    };
  }
  flush();
  return result;
}

/** The dialect of a segment: by its command, else by the most lines claimed. */
export function dialectOf({ source, context }: Segment): Dialect | undefined {
  const named = context.command === undefined ? undefined : all.find((d) => d.printedBy(context.command!));
  if (named !== undefined) return named;
  let best: Dialect | undefined;
  let most = 0;
  for (const d of all) {
    let score = 0;
    for (const line of source.lines) {
      const claim = d.claim(line);
      score += claim === "head" ? 3 : claim === "line" ? 2 : 0;
    }
    if (score > most) {
      most = score;
      best = d;
    }
  }
  return best;
}
