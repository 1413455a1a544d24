import { type Askable, diagnose } from "@hairpin/core/diagnose/index.ts";
import type { Lang } from "@hairpin/core/messages/index.ts";
import { askedPart, type FlowQuestion, type Sweep } from "@hairpin/core/sweep/index.ts";
import { sweepHtml } from "@hairpin/web/sweep/report.ts";
import { diagnosisText } from "../answer/diagnosis-text.ts";
import { assets } from "../html-report.ts";
import { styleFor } from "../style.ts";

/** `sweep --html FILE`: with the usual diagnosis of the first causes, where the case is at hand. */
export function sweepReport(found: Sweep, askable: Askable | undefined, paths: readonly string[], lang: Lang): string {
  const title = paths.join(" ");
  if (askable === undefined) return sweepHtml(found, { lang, title, paths }, assets());
  const known = new Map<string, string>();
  const quote = (file: string, line: number) => askable.quote(file, line);
  const style = styleFor({ isTTY: false }, {});
  const worked = (asked: FlowQuestion): string => {
    const key = JSON.stringify(asked);
    const text =
      known.get(key) ??
      diagnosisText(diagnose(askedPart(askable, asked), asked), { quote, style, lang, verbose: false, width: 100 });
    known.set(key, text);
    return text;
  };
  return sweepHtml(found, { lang, title, paths, worked }, assets());
}
