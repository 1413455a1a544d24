import type { Right } from "@hairpin/collect/index.ts";
import { type Lang, say, text } from "@hairpin/core/messages/index.ts";

/** One line a right, and what follows from all of them. */
export function rightsText(rights: readonly Right[], answers: readonly (boolean | undefined)[], lang: Lang): string {
  const word = (answer: boolean | undefined) =>
    say(text(answer === undefined ? "live.can-unknown" : answer ? "live.can" : "live.cannot"), lang);
  const where = ({ namespace }: Right) =>
    say(namespace === undefined ? text("live.in-all") : text("live.in-namespace", { namespace }), lang);
  const lines = rights.map((r, i) => `${word(answers[i])}  ${r.verb} ${r.resource}  ${where(r)}`);
  const has = (of: Right["of"]) => rights.every((r, i) => r.of !== of || answers[i] === true);
  const sum = !has("objects") ? "live.may-not" : has("nodes") ? "live.may-all" : "live.may-objects";
  return `${[...lines, "", say(text(sum), lang)].join("\n")}\n`;
}
