import { type Lang, MARKS, type MessageId, say, sayAny } from "@hairpin/core/messages/index.ts";
import { append } from "@hairpin/core/net/append.ts";
import { type Broken, diagnoseLine, type Held, nameOf, wishOf } from "@hairpin/core/sweep/index.ts";
import { wrap } from "../layout.ts";
import { printable, type Style } from "../style.ts";
import { expectationsText, flowsText } from "./counted.ts";

export interface ExpectTextOptions {
  readonly style: Style;
  readonly lang: Lang;
  readonly file: string;
  readonly paths: readonly string[];
  readonly diagnosed: (broken: Broken) => string;
  /** Columns of the terminal; without one no line is broken. */
  readonly width?: number | undefined;
}

/** What a broken expectation found instead, in a few words. */
export function foundText({ why, answer: { verdict, clientSees }, seen }: Broken, lang: Lang): string {
  const t = (id: MessageId, params: Record<string, string | readonly string[]> = {}): string =>
    say({ id, params }, lang);
  if (why === "seesClientAddress") return t("expect.sees", { addresses: seen.addresses });
  if (why === "viaNode") return t("expect.nodes", { nodes: seen.nodes });
  const word = t(`verdict.${verdict}` as MessageId);
  return clientSees === null || verdict === "reachable"
    ? word
    : `${word}${MARKS[lang].comma}${t(`sees.${clientSees}` as MessageId)}`;
}

/** What stands before the lines of a diagnosis. */
const BESIDE = "      | ";
export const MARGIN = BESIDE.length;

/** Each expectation a line; below those that do not hold, the flow that shows it and its diagnosis, once for each cause. */
export function expectText(held: readonly Held[], options: ExpectTextOptions): string {
  const { style, lang, file, paths, diagnosed, width } = options;
  const t = (id: MessageId, params: Record<string, string | number> = {}): string => say({ id, params }, lang);
  const lines: string[] = [];
  const causesTold = new Map<string, string>();
  const told = (text: string, mark = ""): readonly string[] =>
    width === undefined
      ? [`      ${mark}${text}`]
      : wrap(text, 0, 0, width - 6 - mark.length).map((l) => `      ${mark}${l}`);
  for (const { expectation, result, flows, broken } of held) {
    const name = printable(nameOf(expectation));
    const place = `${file}:${expectation.line}`;
    const where = style.dim(place);
    if (result === "holds") lines.push(`${style.green("ok")}    ${name}  ${style.dim(flowsText(flows, lang))}`);
    else if (result === "matches-nothing" || result === "not-asked") {
      const why = t(result === "not-asked" ? "expect.line-not-asked" : "expect.nothing");
      lines.push(`${style.yellow("??")}    ${name}  ${where}`, `      ${why}`);
    } else {
      const mark = result === "broken" ? style.red("FAIL") : style.yellow("??  ");
      const shown = broken.filter((b) => b.open === (result === "open"));
      const count = shown.reduce((n, b) => n + b.flows, 0);
      lines.push(`${mark}  ${name}  ${where}`);
      const [first] = shown;
      if (first === undefined) continue;
      const found = foundText(first, lang);
      append(
        lines,
        told(t("expect.found", { wish: wishOf(expectation), count, flows: flowsText(flows, lang), found })),
      );
      lines.push(style.dim(`      ${printable(diagnoseLine(paths, first.asked))}`));
      const { causes } = first.answer;
      const key = JSON.stringify(causes.map((c) => [c.code, c.stack, c.evidence]));
      const before = causes.length === 0 ? undefined : causesTold.get(key);
      if (before !== undefined) {
        const { code, summary } = causes[0]!;
        const again = t("expect.as-before", { code, summary: printable(sayAny(summary, lang)), before });
        append(lines, told(again, "| "));
        continue;
      }
      causesTold.set(key, place);
      append(
        lines,
        diagnosed(first)
          .trimEnd()
          .split("\n")
          .map((l) => `${BESIDE}${l}`.trimEnd()),
      );
    }
  }
  const of = (result: Held["result"]): number => held.filter((h) => h.result === result).length;
  const stopped = of("not-asked");
  const open = of("open") + of("matches-nothing") + stopped;
  const all = expectationsText(held.length, lang);
  lines.push("", style.bold(t("expect.sum", { all, holds: of("holds"), broken: of("broken"), open })));
  if (stopped > 0) lines.push(style.yellow(t("expect.stopped", { all: expectationsText(stopped, lang) })));
  return `${lines.join("\n")}\n`;
}
