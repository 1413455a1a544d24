import { inputOf, type Line, type Word, words } from "@hairpin/core/model/word.ts";
import type { Refusal } from "./compile/refusal.ts";
import type { ToolAnswer, ToolRun } from "./executor/protocol.ts";

export type RunTools = (runs: readonly ToolRun[]) => Promise<readonly ToolAnswer[]>;

/** Commands for one `ip -batch` or `bridge -batch`. */
export interface Lines {
  readonly stack: string;
  readonly lines: readonly Line[];
}

/** Runs batches at once and tells which of their lines the kernel refused. */
export async function batches(
  run: RunTools,
  all: readonly Lines[],
  tool: "ip" | "bridge" = "ip",
  args: readonly Word[] = [],
): Promise<readonly Refusal[]> {
  const some = all.filter((batch) => batch.lines.length > 0);
  const answers = await run(
    some.map(({ stack, lines }) => ({
      stack,
      tool,
      args: words`${args} -force -batch -`,
      stdin: inputOf(lines),
    })),
  );
  return answers.flatMap((answer, i) => failedLines(answer, some[i]!));
}

/** `Command failed -:7` follows what the kernel said about line 7. */
export function failedLines(answer: ToolAnswer, batch: Lines): readonly Refusal[] {
  if (answer.status === 0) return [];
  const found: Refusal[] = [];
  let phrase: string[] = [];
  for (const text of answer.stderr.split("\n")) {
    const failed = /^Command failed -:(\d+)$/.exec(text);
    if (failed === null) {
      if (text !== "") phrase.push(text);
      continue;
    }
    found.push({ stack: batch.stack, what: batch.lines[Number(failed[1]) - 1] ?? "?", answer: phrase.join("; ") });
    phrase = [];
  }
  const rest = phrase.join("; ") || `status ${answer.status}`;
  return found.length > 0 ? found : [{ stack: batch.stack, what: "a batch", answer: rest }];
}
