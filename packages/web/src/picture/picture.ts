import { type Lang, say, text } from "@hairpin/core/messages/index.ts";
import { Html, html } from "../html/html.ts";
import type { BranchView } from "../view/leg.ts";
import type { Mood } from "../view/rows.ts";
import {
  isStation,
  type Layout,
  layoutOf,
  type Placed,
  type PlacedCrossing,
  type PlacedLeg,
  type PlacedStation,
  SIZE,
} from "./layout.ts";

/**
 * One branch as swimlanes: a lane a stack, stations where the packet passed, the request drawn one way and the answer the
 * other. Every station is a link to its steps in the list beside it, which says the same in words. With its `style` in it (no
 * markup in that), the picture is a file of its own.
 */
export function pictureOf(branch: BranchView, lang: Lang, style?: string): Html {
  const layout = layoutOf(branch);
  const { width, height, lanes } = layout;
  const title = say(text("picture.title", { stacks: lanes.map((l) => l.stack) }), lang);
  return html`<svg xmlns="http://www.w3.org/2000/svg" class="picture" id="${branch.id}-picture" role="group" aria-labelledby="${branch.id}-title ${branch.id}-desc" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title id="${branch.id}-title">${title}</title>
<desc id="${branch.id}-desc">${describe(branch, lang)}</desc>
${style === undefined ? null : html`<style>${new Html(style)}</style>`}
<defs>
<marker id="${branch.id}-arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" orient="auto-start-reverse" markerUnits="userSpaceOnUse"><path d="M0 0 10 5 0 10z" class="head"/></marker>
<pattern id="${branch.id}-hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="7" height="7" class="hatch-ground"/><path d="M0 0V7" class="hatch"/></pattern>
</defs>
${lanes.map((lane, i) => laneHead(layout, lane.x, layout.names[i]!))}
${layout.legs.map((leg) => legPart(leg, layout, branch.id, lang))}
</svg>`;
}

function describe(branch: BranchView, lang: Lang): string {
  return branch.legs
    .map((leg) =>
      say(
        text("picture.leg", { what: leg.what, disposition: text(`report.${leg.disposition}`), decision: leg.decision }),
        lang,
      ),
    )
    .join(" ");
}

function laneHead({ laneWidth, height }: Layout, x: number, name: readonly string[]): Html {
  const left = x - laneWidth / 2;
  return html`<g class="lane"><rect x="${left + 2}" y="2" width="${laneWidth - 4}" height="${height - 4}" rx="8"/>
${name.map((line, i) => html`<text x="${x}" y="${25 + i * SIZE.nameLine}" class="stack">${line}</text>`)}</g>`;
}

function legPart({ leg, y, end, head, rows }: PlacedLeg, layout: Layout, id: string, lang: Lang): Html {
  const reply = leg.direction === "reply";
  const x = reply ? layout.width - SIZE.margin - 8 : SIZE.margin + 8;
  const height = SIZE.legHead - 12 + (head.length - 1) * SIZE.title;
  return html`<g class="leg ${leg.direction}" id="${leg.id}-part">
<rect class="band" x="2" y="${y + 4}" width="${layout.width - 4}" height="${height}" rx="4"/>
${head.map((line, i) => html`<text class="leg-head" x="${x}" y="${y + 19 + i * SIZE.title}"${reply ? html` text-anchor="end"` : null}>${line}</text>`)}
${rows.map((row, i) => way(row, rows[i + 1], end))}
${rows.map((row) => (isStation(row) ? station(row, leg.id, layout, id, lang) : crossing(row, leg.id, layout, id)))}
</g>`;
}

/** The line from a row to the next one in the same lane. */
function way(row: Placed, after: Placed | undefined, end: number): Html | null {
  if (after === undefined) return null;
  const x = isStation(row) ? row.lane.x : row.to.x;
  const from = isStation(row) ? row.y + row.height : row.wire + (row.from === row.to ? 10 : 0);
  const to = isStation(after) ? after.y : after.wire - (after.from === after.to ? 10 : 0);
  return to > end || to <= from ? null : html`<path class="way" d="M${x} ${from}V${to}"/>`;
}

const LOUD: Partial<Record<Mood, "picture.dead" | "picture.unknown">> = {
  dead: "picture.dead",
  unknown: "picture.unknown",
};

function station(
  { row, lane, y, height, titles, lines }: PlacedStation,
  leg: string,
  layout: Layout,
  id: string,
  lang: Lang,
): Html {
  const { laneWidth } = layout;
  const x = lane.x - laneWidth / 2 + 10;
  const width = laneWidth - 20;
  const loud = LOUD[row.mood];
  const phrase = loud === undefined ? "" : say(text(loud), lang);
  const label = `${[phrase, ...titles, ...lines].filter((t) => t !== "").join(" ")}, ${row.stack}`;
  const step = `${leg}-s${Math.max(0, row.steps[1])}`;
  let line = y + 17;
  const loudLine = loud === undefined ? null : html`<text class="loud" x="${x + 26}" y="${line}">${phrase}</text>`;
  if (loud !== undefined) line += SIZE.title;
  const titleLines = titles.map(
    (title, i) => html`<text class="title" x="${x + 8}" y="${line + i * SIZE.title}">${title}</text>`,
  );
  if (titles.length > 0) line += titles.length * SIZE.title - 2;
  return html`<a class="station ${row.mood}" id="${row.id}" href="#${step}" data-leg="${leg}" data-from="${row.steps[0]}" data-to="${row.steps[1]}" aria-label="${label}">
${loud === undefined ? html`<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="5"/>` : sign(x, y, width, height, row.mood, id)}
${loudLine}
${titleLines}
${lines.map(
  (l, i) => html`<text class="note" x="${x + 8}" y="${line + i * SIZE.line}">${l}</text>
`,
)}
</a>`;
}

/** Where it ends is told by shape, by hatching and by a word, not by colour alone. */
function sign(x: number, y: number, width: number, height: number, mood: Mood, id: string): Html {
  const c = 9;
  const d = `M${x + c} ${y}H${x + width - c}L${x + width} ${y + c}V${y + height - c}L${x + width - c} ${y + height}H${x + c}L${x} ${y + height - c}V${y + c}Z`;
  const mark =
    mood === "dead"
      ? html`<path class="cross" d="M${x + 8} ${y + 8}l12 12m0 -12l-12 12"/>`
      : html`<text class="cross-text" aria-hidden="true" x="${x + 9}" y="${y + 19}">?</text>`;
  return html`<path class="end" d="${d}"/><path class="end-hatch" d="${d}" fill="url(#${id}-hatch)"/>${mark}`;
}

function crossing(
  { row, from, to, wire: line, packet, notes }: PlacedCrossing,
  leg: string,
  layout: Layout,
  id: string,
): Html {
  const loops = from === to;
  const gap = loops ? 0 : Math.sign(to.x - from.x) * 3;
  const reach = layout.laneWidth / 2 - 14;
  const d = loops ? `M${from.x} ${line - 10}h${reach}v20H${from.x + 3}` : `M${from.x} ${line}H${to.x - gap}`;
  const [out, taken] = [row.out, loops ? "" : row.in];
  const label = `${[...packet, out, taken, ...notes].filter((t) => t !== "").join(" ")}, ${row.from} → ${row.to}`;
  const step = `${leg}-s${row.steps[0]}`;
  const middle = loops ? from.x - 8 : (from.x + to.x) / 2;
  const right = to.x >= from.x;
  return html`<a class="crossing" id="${row.id}" href="#${step}" data-leg="${leg}" data-from="${row.steps[0]}" data-to="${row.steps[1]}" aria-label="${label}">
<path class="wire" d="${d}" marker-end="url(#${id}-arrow)"/>
${packet.map(
  (
    p,
    i,
  ) => html`<text class="packet" x="${middle}" y="${line - 6 - (packet.length - 1 - i) * 13}" text-anchor="${loops ? "end" : "middle"}">${p}</text>
`,
)}
<text class="device" x="${from.x + (right ? 6 : -6)}" y="${line + 12}" text-anchor="${right ? "start" : "end"}">${out}</text>
<text class="device" x="${to.x + (right ? -8 : 8)}" y="${line + 12}" text-anchor="${loops ? "start" : right ? "end" : "start"}">${taken}</text>
${notes.map(
  (
    n,
    i,
  ) => html`<text class="note" x="${loops ? from.x : middle}" y="${line + 25 + i * SIZE.line}" text-anchor="middle">${n}</text>
`,
)}
</a>`;
}
