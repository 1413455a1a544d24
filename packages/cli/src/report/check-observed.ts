import type { CheckReport } from "@hairpin/core/check/index.ts";
import { type Lang, MARKS, say, type Text, text } from "@hairpin/core/messages/index.ts";
import { append } from "@hairpin/core/net/append.ts";
import { clip, pad, WIDTH, wrap } from "./layout.ts";
import { printable, type Style } from "./style.ts";

const MAX_FLOWS = 12;
const MAX_LOGGED = 6;

type ReadFiles = CheckReport["seen"];
type Flow = ReadFiles["flows"][number];

const LOSS = new Set([
  "refused",
  "unreachable",
  "unanswered",
  "answer-unheard",
  "answer-lost",
  "answer-refused",
  "late",
  "stalled",
]);

/** One line a sighting; an address line only where it differs from the one above. */
function flowLines(flow: Flow, style: Style, lang: Lang): readonly string[] {
  const head = `${flow.protocol ?? "?"} ${printable(flow.flow)}`;
  const paint = LOSS.has(flow.outcome) ? style.red : flow.outcome === "open" ? (t: string) => t : style.green;
  const lines = wrap(`${head}${MARKS[lang].colon}${say(text(`seen.${flow.outcome}`), lang)}`, 2, 4).map((l, i) =>
    i === 0 ? paint(l) : l,
  );
  let above = "";
  for (const step of flow.steps) {
    const way = step.direction === "other" ? say(text("seen.label-passing"), lang) : (step.direction ?? "");
    const tags = [
      ...(step.vlans.length === 0 ? [] : [`VLAN ${step.vlans.join("/")}`]),
      ...(step.tunnel === null ? [] : [say(text("seen.label-in-tunnel", { tunnel: step.tunnel }), lang)]),
      ...(step.times > 1 ? [say(text("seen.label-times", { count: step.times }), lang)] : []),
    ].join(", ");
    const where = `${printable(step.place)} ${way}`.trimEnd();
    lines.push(`    ${pad(step.what, 13)}${clip(`${where}${tags === "" ? "" : `  ${printable(tags)}`}`, WIDTH - 18)}`);
    if (step.flow !== above && step.flow !== flow.flow)
      lines.push(`                 ${style.dim(clip(printable(step.flow), WIDTH - 17))}`);
    lines.push(`                 ${style.dim(clip(printable(`${step.file}:${step.line}`), WIDTH - 17))}`);
    above = step.flow;
  }
  return lines;
}

function loggedLines(logged: ReadFiles["logged"][number], style: Style, lang: Lang): readonly string[] {
  const lines = [...wrap(say(text("seen.label-logged", { flow: printable(logged.flow) }), lang), 2, 4)];
  for (const step of logged.steps) {
    const name = [step.table, step.hook ?? step.chain].filter((w) => w !== null).join(" ");
    const devices = `${step.in === null ? "" : `in ${step.in} `}${step.out === null ? "" : `out ${step.out}`}`.trim();
    const chain = step.chain !== null && step.hook !== step.chain ? ` ${step.chain}` : "";
    lines.push(
      `    ${pad(clip(printable(`${name}${chain}`), 36), 36)} ${clip(printable(devices), WIDTH - 42)}`.trimEnd(),
    );
    for (const change of step.changed) append(lines, wrap(printable(change), 8).map(style.cyan));
  }
  return lines;
}

function symptomText(s: ReadFiles["symptoms"][number]): Text {
  const at = { tool: s.tool, place: printable(s.place), result: s.result, where: printable(`${s.file}:${s.line}`) };
  return s.target === null
    ? text("seen.label-client", at)
    : text("seen.label-client-to", { ...at, target: printable(s.target) });
}

/** What captures, logs and clients show. Empty where there are none. */
export function observedText(
  { flows, left, logged, facts, symptoms }: ReadFiles,
  style: Style,
  lang: Lang,
): readonly string[] {
  if (flows.length + logged.length + facts.length + symptoms.length === 0) return [];
  const more = flows.length - MAX_FLOWS + left;
  return [
    style.bold(say(text("seen.label-heading"), lang)),
    ...symptoms.slice(0, MAX_FLOWS).flatMap((s) => wrap(say(symptomText(s), lang), 2, 4)),
    ...flows.slice(0, MAX_FLOWS).flatMap((f) => flowLines(f, style, lang)),
    ...(more > 0 ? [`  ${say(text("seen.label-more", { count: more }), lang)}`] : []),
    ...logged.slice(0, MAX_LOGGED).flatMap((l) => loggedLines(l, style, lang)),
    ...(logged.length > MAX_LOGGED
      ? [`  ${say(text("seen.label-more-logged", { count: logged.length - MAX_LOGGED }), lang)}`]
      : []),
    ...facts
      .slice(0, MAX_FLOWS)
      .flatMap((f) => [
        ...wrap(`${f.code}  ${printable(f.text)}`, 2, 4),
        ...f.evidence.slice(0, 2).flatMap((e) => wrap(`${printable(e.file)}:${e.line}`, 4).map(style.dim)),
      ]),
    ...(facts.length > MAX_FLOWS
      ? [`  ${say(text("seen.label-more-facts", { count: facts.length - MAX_FLOWS }), lang)}`]
      : []),
    "",
  ];
}
