import type { Diagnosis } from "@hairpin/core/diagnose/index.ts";
import { type Lang, MARKS, say, text } from "@hairpin/core/messages/index.ts";
import { type Branch, shorten } from "@hairpin/core/trace/index.ts";
import { branchView } from "@hairpin/web/view/leg.ts";
import { type Stop, type Way, waysOf } from "@hairpin/web/view/strip.ts";
import { printable } from "./style.ts";

/** What ends a statement, begins a comment or makes markup in Mermaid, as the entity it takes instead. */
const plain = (words: string): string =>
  printable(words).replace(/[#;<>{}"`\\%&]|--/g, (c) => [...c].map((one) => `#${one.charCodeAt(0)};`).join(""));

/** More is no picture any more. */
const MOST_ARROWS = 40;

/**
 * The conversation as a sequence diagram of Mermaid, which tickets draw: the branch that fails, else the most frequent. A line a packet and
 * machine, a note where an address changes and where it ends.
 */
export function mermaidLines({ inquiry }: Diagnosis, lang: Lang): readonly string[] {
  const { branches, world } = inquiry.exploration;
  const works = (b: Branch): number => Number(b.clientSees === "connected");
  const [drawn] = shorten([...branches].sort((a, b) => works(a) - works(b) || b.share - a.share).slice(0, 1)).branches;
  if (drawn === undefined) return [];
  const ways = waysOf(branchView(drawn, 0, () => undefined, world, lang)).filter((w) => w.stops.length > 0);
  if (ways.length === 0) return [];
  const names = [...new Set(ways.flatMap((w) => w.stops.map((s) => s.stack)))];
  const id = (stack: string): string => `p${names.indexOf(stack)}`;
  const named = (stack: string): string => (stack === "" ? say(text("strip.network"), lang) : stack);
  const lines = ways.flatMap((way) => wayLines(way, id, lang)).slice(0, MOST_ARROWS);
  return ["sequenceDiagram", ...names.map((n) => `  participant ${id(n)} as ${plain(named(n))}`), ...lines];
}

function wayLines(way: Way, id: (stack: string) => string, lang: Lang): readonly string[] {
  const arrow = way.direction === "reply" ? "-->>" : "->>";
  return way.stops.flatMap((stop, i) => {
    const before = way.stops[i - 1];
    const packet = i === 1 ? `${way.what} ${way.packet}` : way.what;
    return [
      ...(before === undefined ? [] : [`  ${id(before.stack)}${arrow}${id(stop.stack)}: ${plain(packet)}`]),
      ...notes(stop, way, way.stops.length === 1, id, lang),
    ];
  });
}

function notes(stop: Stop, way: Way, alone: boolean, id: (stack: string) => string, lang: Lang): readonly string[] {
  const here = `  Note over ${id(stop.stack)}: `;
  const { end } = stop;
  const sent = alone ? [`${here}${plain(`${way.what} ${way.packet}`)}`] : [];
  const changes = stop.changes.map((c) => `${here}${plain(c)}`);
  if (end === undefined || end.mood === "left") return [...sent, ...changes];
  const fate = say(text(end.mood === "dead" ? "strip.dropped" : "strip.unknown"), lang);
  return [
    ...sent,
    ...changes,
    `${here}${end.mood === "dead" ? "✕" : "?"} ${plain(`${fate}${MARKS[lang].colon}${end.title} ${end.note}`.trim())}`,
  ];
}
