import { join } from "node:path";
import { type Lang, type MessageId, say, sayAny } from "@hairpin/core/messages/index.ts";
import { diagnoseLine, type Held } from "@hairpin/core/sweep/index.ts";
import { printable, type Style } from "../style.ts";
import { foundText } from "./expect-text.ts";

/** A snapshot that was asked. */
export interface Tried {
  readonly name: string;
  readonly held: Held;
}

/** Which snapshots were asked, and between which two it broke. */
export function bisectText(
  tried: readonly Tried[],
  found: { readonly good: string; readonly bad: string; readonly between: readonly string[] } | undefined,
  { style, lang, dir }: { readonly style: Style; readonly lang: Lang; readonly dir: string },
): string {
  const t = (id: MessageId, params: Record<string, string> = {}): string => say({ id, params }, lang);
  const lines = tried.map(({ name, held: { result, broken } }) => {
    const [first] = broken;
    const word =
      result === "holds"
        ? style.green(t("bisect.works"))
        : first === undefined
          ? t("expect.nothing")
          : result === "open"
            ? style.yellow(t(broken.every((b) => b.answer.leaning !== null) ? "bisect.leaning" : "bisect.open"))
            : style.red(foundText(first, lang));
    return `  ${printable(name)}  ${word}`;
  });
  const last = tried[tried.length - 1]!;
  const isBad = ({ result }: Held): boolean => result === "broken" || result === "matches-nothing";
  const before = tried.slice(0, -1).find(({ held }) => isBad(held));
  const isNowhere = tried.every(({ held }) => held.result === "matches-nothing");
  const verdict =
    found !== undefined
      ? t("bisect.found", { good: printable(found.good), bad: printable(found.bad) })
      : last.held.result === "holds"
        ? t("bisect.still")
        : last.held.result === "open"
          ? t("bisect.undecided", { last: printable(last.name) })
          : isNowhere
            ? t("bisect.nowhere")
            : before !== undefined
              ? t("bisect.never", { first: printable(before.name) })
              : t("bisect.undecided-before", { last: printable(last.name) });
  const broken = found?.bad ?? last.name;
  const bad = tried.find((x) => x.name === broken)?.held.broken[0];
  const more = bad === undefined ? [] : [style.dim(`  ${printable(diagnoseLine([join(dir, broken)], bad.asked))}`)];
  const skipped = found?.between ?? [];
  const left = skipped.length === 0 ? [] : [t("bisect.between", { names: skipped.map(printable).join(", ") })];
  const why = bad?.answer.causes[0];
  return `${[...lines, "", style.bold(verdict), ...left, ...(why === undefined ? [] : [`  ${why.code}: ${printable(sayAny(why.summary, lang))}`]), ...more].join("\n")}\n`;
}
