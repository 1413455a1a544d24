import { figure, type Lang, sayAny, type Text, text } from "../messages/index.ts";
import type { FixRef } from "./answer.ts";
import type { SweptFix } from "./summary.ts";

/** How many of so many flows a fix heals. */
export function fixLead({ heals, alike }: SweptFix, flows: number): Text {
  if (heals === flows) return text("sweep.fix-all");
  const told = { heals: figure(heals), flows: figure(flows) };
  return alike > heals ? text("sweep.fix-alike", { ...told, alike: figure(alike) }) : text("sweep.fix-some", told);
}

/** What is to be done: where no command does it, in words. */
export const fixWords = ({ commands, summary }: FixRef, lang: Lang): string =>
  commands.length > 0 ? commands.join("; ") : sayAny(summary, lang);
