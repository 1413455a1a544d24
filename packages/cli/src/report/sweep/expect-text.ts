import { type Lang, MARKS, type MessageId, say } from "@hairpin/core/messages/index.ts";
import { append } from "@hairpin/core/net/append.ts";
import { type Broken, diagnoseLine, type Held, nameOf } from "@hairpin/core/sweep/index.ts";
import { printable, type Style } from "../style.ts";
import { expectationsText, flowsText } from "./counted.ts";

export interface ExpectTextOptions {
  readonly style: Style;
  readonly lang: Lang;
  readonly file: string;
  readonly paths: readonly string[];
  readonly diagnosed: (broken: Broken) => string;
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

/** Each expectation a line; below those that do not hold, the flow that shows it and its diagnosis. */
export function expectText(held: readonly Held[], options: ExpectTextOptions): string {
  const { style, lang, file, paths, diagnosed } = options;
  const t = (id: MessageId, params: Record<string, string | number> = {}): string => say({ id, params }, lang);
  const lines: string[] = [];
  for (const { expectation, result, flows, broken } of held) {
    const name = printable(nameOf(expectation));
    const where = style.dim(`${file}:${expectation.line}`);
    if (result === "holds") lines.push(`${style.green("ok")}    ${name}  ${style.dim(flowsText(flows, lang))}`);
    else if (result === "matches-nothing")
      lines.push(`${style.yellow("??")}    ${name}  ${where}`, `      ${t("expect.nothing")}`);
    else {
      const mark = result === "broken" ? style.red("FAIL") : style.yellow("??  ");
      const shown = broken.filter((b) => b.open === (result === "open"));
      const count = shown.reduce((n, b) => n + b.flows, 0);
      lines.push(`${mark}  ${name}  ${where}`);
      const [first] = shown;
      if (first === undefined) continue;
      lines.push(`      ${t("expect.found", { count, flows: flowsText(flows, lang), found: foundText(first, lang) })}`);
      lines.push(style.dim(`      ${printable(diagnoseLine(paths, first.asked))}`));
      append(
        lines,
        diagnosed(first)
          .trimEnd()
          .split("\n")
          .map((l) => (l === "" ? "" : `      | ${l}`)),
      );
    }
  }
  const of = (result: Held["result"]): number => held.filter((h) => h.result === result).length;
  const open = of("open") + of("matches-nothing");
  const all = expectationsText(held.length, lang);
  lines.push("", style.bold(t("expect.sum", { all, holds: of("holds"), broken: of("broken"), open })));
  return `${lines.join("\n")}\n`;
}
