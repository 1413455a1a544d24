import { splitWords } from "../rule/words.ts";

/** Dumps shorter than this are read before it would pay. */
const LARGE = 20_000;
const SAMPLE = 400;

/**
 * A small dump of lines taken evenly from a large one. The engine compiles a reader for the lines it has met, and again
 * each time a new kind comes along; in a large dump kinds come in long runs. Reading this first shows it all of them.
 */
export function sampleOf(lines: readonly string[]): readonly string[] | undefined {
  if (lines.length < LARGE) return undefined;
  const step = Math.floor(lines.length / SAMPLE);
  const rules: string[] = [];
  const chains = new Set<string>();
  let table = "*filter";
  for (let i = 0; i < lines.length; i += step) {
    const line = lines[i]!;
    if (!line.startsWith("-A ") || line.length > 1000) continue;
    rules.push(line);
    const { texts } = splitWords(line);
    chains.add(texts[1] ?? "");
    const jump = texts.lastIndexOf("-j");
    if (jump > 0 && jump === texts.length - 2) chains.add(texts[jump + 1]!);
  }
  for (let i = 0; i < 50 && i < lines.length; i++) if (lines[i]!.charCodeAt(0) === 42) table = lines[i]!;
  return [table, ...[...chains].map((name) => `:${name} - [0:0]`), ...rules, "COMMIT"];
}
