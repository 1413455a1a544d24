import type { CheckReport } from "@hairpin/core/check/index.ts";
import { clip, pad, WIDTH, wrap } from "./layout.ts";
import { printable, type Style } from "./style.ts";

const MAX_FLOWS = 12;
const MAX_LOGGED = 6;

type Seen = CheckReport["seen"];
type Flow = Seen["flows"][number];

const DIRECTION: Readonly<Record<string, string>> = {
  in: "in",
  out: "out",
  other: "passing",
  broadcast: "broadcast",
  multicast: "multicast",
};

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
function flowLines(flow: Flow, style: Style): readonly string[] {
  const head = `${flow.protocol ?? "?"} ${printable(flow.flow)}`;
  const paint = LOSS.has(flow.outcome) ? style.red : flow.outcome === "open" ? (t: string) => t : style.green;
  const lines = wrap(`${head}: ${flow.meaning}`, 2, 4).map((l, i) => (i === 0 ? paint(l) : l));
  let above = "";
  for (const step of flow.steps) {
    const way = DIRECTION[step.direction ?? ""] ?? "";
    const tags = [
      ...(step.vlans.length === 0 ? [] : [`VLAN ${step.vlans.join("/")}`]),
      ...(step.tunnel === null ? [] : [`in ${step.tunnel}`]),
      ...(step.times > 1 ? [`${step.times} times`] : []),
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

function loggedLines(logged: Seen["logged"][number], style: Style): readonly string[] {
  const lines = [...wrap(`logged packet ${printable(logged.flow)}`, 2, 4)];
  for (const step of logged.steps) {
    const name = [step.table, step.hook ?? step.chain].filter((w) => w !== null).join(" ");
    const devices = `${step.in === null ? "" : `in ${step.in} `}${step.out === null ? "" : `out ${step.out}`}`.trim();
    const chain = step.chain !== null && step.hook !== step.chain ? ` ${step.chain}` : "";
    lines.push(
      `    ${pad(clip(printable(`${name}${chain}`), 36), 36)} ${clip(printable(devices), WIDTH - 42)}`.trimEnd(),
    );
    for (const change of step.changed) lines.push(...wrap(printable(change), 8).map(style.cyan));
  }
  return lines;
}

/** What captures, logs and clients show. Empty where there are none. */
export function seenText({ flows, left, logged, facts, symptoms }: Seen, style: Style): readonly string[] {
  if (flows.length + logged.length + facts.length + symptoms.length === 0) return [];
  const more = flows.length - MAX_FLOWS + left;
  return [
    style.bold("What was seen"),
    ...symptoms
      .slice(0, MAX_FLOWS)
      .flatMap((s) =>
        wrap(
          `${s.tool}${s.target === null ? "" : ` to ${printable(s.target)}`} at ${printable(s.place)}: ${s.result} (${printable(`${s.file}:${s.line}`)})`,
          2,
          4,
        ),
      ),
    ...flows.slice(0, MAX_FLOWS).flatMap((f) => flowLines(f, style)),
    ...(more > 0 ? [`  … and ${more} more connections`] : []),
    ...logged.slice(0, MAX_LOGGED).flatMap((l) => loggedLines(l, style)),
    ...(logged.length > MAX_LOGGED ? [`  … and ${logged.length - MAX_LOGGED} more logged packets`] : []),
    ...facts
      .slice(0, MAX_FLOWS)
      .flatMap((f) => [
        ...wrap(`${f.code}  ${printable(f.text)}`, 2, 4),
        ...f.evidence.slice(0, 2).flatMap((e) => wrap(`${printable(e.file)}:${e.line}`, 4).map(style.dim)),
      ]),
    ...(facts.length > MAX_FLOWS ? [`  … and ${facts.length - MAX_FLOWS} more facts`] : []),
    "",
  ];
}
