import type { Right } from "@hairpin/collect/index.ts";
import { type Lang, say, text } from "@hairpin/core/messages/index.ts";

type Answers = readonly (boolean | undefined)[];

/** How far a user gets: nodes by pods of our own, or by their agents where there are some. */
export function readable(
  rights: readonly Right[],
  answers: Answers,
): "not all objects" | "objects" | "objects and nodes" {
  const has = (of: Right["of"]) =>
    rights.some((r) => r.of === of) && rights.every((r, i) => r.of !== of || answers[i] === true);
  if (!has("objects")) return "not all objects";
  return has("nodes") || has("agents") ? "objects and nodes" : "objects";
}

const SUMS = {
  "not all objects": "live.may-not",
  objects: "live.may-objects",
  "objects and nodes": "live.may-all",
} as const;

/** One line a right, and what follows from all of them. */
export function rightsText(rights: readonly Right[], answers: Answers, lang: Lang): string {
  const word = (answer: boolean | undefined) =>
    say(text(answer === undefined ? "live.can-unknown" : answer ? "live.can" : "live.cannot"), lang);
  const where = ({ namespace }: Right) =>
    say(namespace === undefined ? text("live.in-all") : text("live.in-namespace", { namespace }), lang);
  const lines = rights.map((r, i) => `${word(answers[i])}  ${r.verb} ${r.resource}  ${where(r)}`);
  return `${[...lines, "", say(text(SUMS[readable(rights, answers)]), lang)].join("\n")}\n`;
}
