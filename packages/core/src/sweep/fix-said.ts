import { type Lang, sayAny, type Text, text } from "../messages/index.ts";
import type { FixRef } from "./answer.ts";
import type { SweptFix } from "./summary.ts";

/** How many of so many flows a fix heals. */
export function fixLead({ heals, alike }: SweptFix, flows: number): Text {
  if (heals === flows) return text("sweep.fix-all");
  return alike > heals ? text("sweep.fix-alike", { heals, alike, flows }) : text("sweep.fix-some", { heals, flows });
}

/** What is to be done: where no command does it, in words. */
export const fixWords = ({ commands, summary }: FixRef, lang: Lang): string =>
  commands.length > 0 ? commands.join("; ") : sayAny(summary, lang);
