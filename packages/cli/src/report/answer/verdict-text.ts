import { type Lang, percent, say, text } from "@hairpin/core/messages/index.ts";
import type { Judgement } from "@hairpin/core/trace/index.ts";

/** One end of a question as people call it: only what is neither pod, node nor Service goes by its bare name. */
export const endText = (end: string): string => end.replace(/^stack\//, "");

/** The verdict and what the client sees, in one line. */
export function headlineOf({ verdict, reachableShare, clientSees, leaning }: Judgement, lang: Lang): string {
  const phrase =
    verdict === "intermittent" && reachableShare !== null
      ? text("verdict.intermittent-share", { share: percent(reachableShare) })
      : verdict === "reachable" && reachableShare !== null && reachableShare < 1
        ? text("verdict.reachable-but", { share: `${Number(((1 - reachableShare) * 100).toPrecision(1))}%` })
        : text(leaning === undefined ? `verdict.${verdict}` : "verdict.leaning");
  const colon = lang === "zh" ? "：" : ": ";
  return clientSees === null
    ? say(phrase, lang)
    : `${say(phrase, lang)}${colon}${say(text(`sees.${clientSees}`), lang)}`;
}
