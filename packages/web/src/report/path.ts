import { type Lang, say, text } from "@hairpin/core/messages/index.ts";
import { type Html, html } from "../html/html.ts";
import type { BranchView, LegView } from "../view/leg.ts";
import type { Row, Station } from "../view/rows.ts";
import { tellingLegs } from "../view/strip.ts";

/** The picture for a narrow screen: one column, a heading wherever the packet comes into another stack. It says what the lanes say. */
export const pathPart = (branch: BranchView, lang: Lang): Html =>
  html`<div class="path" role="group" aria-label="${say(text("report.picture"), lang)}">${tellingLegs(branch).map((leg) => legPath(leg, lang))}</div>`;

function legPath(leg: LegView, lang: Lang): Html {
  const groups: { readonly stack: string; readonly rows: Row[] }[] = [];
  for (const row of leg.rows) {
    const stack = row.type === "station" ? row.stack : row.to;
    const last = groups.at(-1);
    if (last === undefined || (last.stack !== stack && row.type === "station")) groups.push({ stack, rows: [row] });
    else if (row.type === "crossing") groups.push({ stack, rows: [row] });
    else last.rows.push(row);
  }
  return html`<div class="leg-path ${leg.direction}"><p class="way-head"><span aria-hidden="true">${leg.direction === "reply" ? "←" : "→"}</span> <b>${leg.what}</b> <code>${leg.packet}</code></p>
<ol>${groups.map(
    ({ stack, rows }) =>
      html`<li><b class="name">${stack}</b>${rows.map((row) => (row.type === "station" ? stationPath(row, leg, lang) : crossingPath(row, leg)))}</li>`,
  )}</ol></div>`;
}

function stationPath(row: Station, leg: LegView, lang: Lang): Html {
  const loud =
    row.mood === "dead" ? text("picture.dead") : row.mood === "unknown" ? text("picture.unknown") : undefined;
  return html`<a class="spot ${row.mood}" href="#${leg.id}-s${Math.max(0, row.steps[1])}" data-leg="${leg.id}" data-from="${row.steps[0]}" data-to="${row.steps[1]}">${
    loud === undefined
      ? null
      : html`<strong class="fate">${row.mood === "dead" ? "✕" : "?"} ${say(loud, lang)}</strong>`
  }${row.title === "" ? null : html`<b>${row.title}</b>`}${row.notes.map((n) => html`<code>${n}</code>`)}</a>`;
}

function crossingPath(row: Row & { readonly type: "crossing" }, leg: LegView): Html {
  return html`<a class="spot wire-spot" href="#${leg.id}-s${row.steps[0]}" data-leg="${leg.id}" data-from="${row.steps[0]}" data-to="${row.steps[1]}"><code>${row.out} → ${row.in}</code><code>${row.packet}</code>${row.notes.map((n) => html`<code>${n}</code>`)}</a>`;
}
