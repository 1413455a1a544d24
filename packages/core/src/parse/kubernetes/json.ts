import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { Source } from "../source.ts";
import { Mapping, Sequence, type Value } from "./yaml/value.ts";

const MAX_DEPTH = 200;

/** Reads one JSON document; undefined with a diagnostic where it is none. */
export function readJson(source: Source): { readonly value?: Value; readonly diagnostics: readonly Diagnostic[] } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(source.lines.join("\n"));
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/,? ".*$/s, "") : "";
    return { diagnostics: [diagnose(source, 0, 0, "kubernetes-json", `this JSON is cut off or damaged: ${why}`)] };
  }
  return { value: new Converter(linesOfKeys(source)).value(parsed, 0, 0), diagnostics: [] };
}

/** Keys come in the same order in the text and in what JSON.parse makes of it, so counting them gives each its line. */
class Converter {
  private next = 0;
  private readonly lines: readonly number[];

  constructor(lines: readonly number[]) {
    this.lines = lines;
  }

  value(input: unknown, line: number, depth: number): Value {
    if (input === null || typeof input !== "object") return input as Value;
    if (depth > MAX_DEPTH) return null;
    if (Array.isArray(input)) {
      const sequence = new Sequence(line);
      for (const item of input) {
        const value = this.value(item, this.lines[this.next] ?? line, depth + 1);
        sequence.put(value, value instanceof Mapping ? value.line : line);
      }
      return sequence;
    }
    const mapping = new Mapping(this.lines[this.next] ?? line);
    for (const key in input) {
      const at = this.lines[this.next++] ?? line;
      mapping.put(key, this.value((input as Record<string, unknown>)[key], at, depth + 1), at);
    }
    mapping.end = this.lines[this.next - 1] ?? line;
    return mapping;
  }
}

function linesOfKeys(source: Source): readonly number[] {
  const keys: number[] = [];
  source.lines.forEach((text, line) => {
    for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) {
      for (at++; at < text.length; at++) {
        const c = text.charCodeAt(at);
        if (c === 92) at++;
        else if (c === 34) break;
      }
      let after = at + 1;
      while (text.charCodeAt(after) === 32) after++;
      if (text.charCodeAt(after) === 58) keys.push(line);
    }
  });
  return keys;
}
