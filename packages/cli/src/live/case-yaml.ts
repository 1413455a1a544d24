import type { TextFile } from "@hairpin/collect/index.ts";
import type { QuestionOptions } from "@hairpin/core/diagnose/index.ts";
import { stringify } from "yaml";

const FIELDS = ["from", "to", "proto", "in", "node", "via", "bind", "sport", "size", "family", "sees"] as const;
const NUMBERS: ReadonlySet<string> = new Set(["sport", "size"]);

/** The question beside the dumps, so that the bundle alone gives the same answer. */
export function caseYaml(options: QuestionOptions, assume: readonly string[]): TextFile {
  const question = FIELDS.flatMap((name) => {
    const value = options[name];
    if (value === undefined) return [];
    const number = NUMBERS.has(name) || (name === "family" && value !== "both");
    return [[name, number ? Number(value) : value] as const];
  });
  const settled = assume.map((given) => {
    const at = given.indexOf("=");
    return [given.slice(0, at), given.slice(at + 1)] as const;
  });
  const text = stringify({
    question: Object.fromEntries(question),
    ...(settled.length === 0 ? {} : { assume: Object.fromEntries(settled) }),
  });
  return { path: "case.yaml", text };
}
