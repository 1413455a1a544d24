import { type Lang, say, text } from "@hairpin/core/messages/index.ts";
import { largest } from "@hairpin/core/net/append.ts";
import { type Html, html } from "../html/html.ts";
import type { BranchView } from "../view/leg.ts";
import { type Stop, type Way, waysOf } from "../view/strip.ts";

/** Beside each other up to this many; more stand below each other. */
const MOST_COLUMNS = 6;

/**
 * A branch in one glance: the way out above, the way back below, a box for each machine the packet was in. A stop of the way back stands below
 * the same stop of the way out wherever both go the same way, so that a detour is seen. Every box leads to its step.
 */
export function stripPart(branch: BranchView, target: string, lang: Lang): Html | null {
  const ways = waysOf(branch).filter((w) => w.stops.length > 0);
  const [out] = ways;
  if (out === undefined) return null;
  const lost = !out.arrives && out.stops.at(-1)?.end?.mood !== "left";
  const columns = largest(
    out.stops.length + (lost ? 1 : 0),
    ways.map((w) => w.stops.length),
  );
  const layout = columns > MOST_COLUMNS ? "tall" : `cols-${columns}`;
  return html`<div class="strip ${layout}" role="group" aria-label="${say(text("strip.label"), lang)}">${ways.map(
    (way, i) => wayPart(way, out, columns, i === 0 && lost ? target : undefined, lang),
  )}</div>`;
}

/** Where each stop of a way stands: below the same machine of the way out as long as that keeps the order, else in the next free column. */
function columnsOf(way: Way, out: Way, columns: number): readonly number[] {
  if (way.direction === "request") return way.stops.map((_, i) => i + 1);
  const placed: number[] = [];
  let before = columns + 1;
  for (const [i, stop] of way.stops.entries()) {
    const same = lastBefore(out, stop.stack, before);
    const left = way.stops.length - 1 - i;
    before = same > left ? same : before - 1;
    placed.push(before);
  }
  return placed;
}

/** The last column before that one where the way out was in the same machine; 0 where it never was. */
const lastBefore = (out: Way, stack: string, before: number): number =>
  out.stops.reduce((found, s, at) => (s.stack === stack && at + 1 < before ? at + 1 : found), 0);

function wayPart(way: Way, out: Way, columns: number, target: string | undefined, lang: Lang): Html {
  const reply = way.direction === "reply";
  const places = columnsOf(way, out, columns);
  // A way back runs from its first column down to its last.
  const [from = 0, to = 0] = [places.at(-1), places[0]];
  const passed = Array.from({ length: columns }, (_, i) => i + 1).filter(
    (c) => reply && c > from && c < to && !places.includes(c),
  );
  const label = html`<p class="way-head"><span aria-hidden="true">${reply ? "←" : "→"}</span> <b>${way.what}</b> <code>${way.packet}</code></p>`;
  return html`<div class="way ${way.direction}">${label}<ol>${way.stops.map((stop, i) => {
    const first = i === 0 && !reply;
    const last = i === way.stops.length - 1 && way.arrives && !reply;
    const role = first ? text("strip.calls") : last ? text("strip.answers") : undefined;
    return stopPart(stop, role === undefined ? undefined : say(role, lang), `col-${places[i]!} at-${i}`, way, lang);
  })}${passed.map((c) => html`<li class="passed col-${c}" aria-hidden="true"></li>`)}${
    target === undefined
      ? null
      : html`<li class="stop ghost col-${way.stops.length + 1} at-${way.stops.length}"><span class="box"><b class="name">${target}</b><span class="role">${say(text("strip.not-reached"), lang)}</span></span></li>`
  }</ol></div>`;
}

function stopPart(stop: Stop, role: string | undefined, place: string, way: Way, lang: Lang): Html {
  const { end } = stop;
  const mood = end === undefined ? (stop.changes.length > 0 ? "change" : "") : end.mood;
  const fate =
    end === undefined || end.mood === "left"
      ? null
      : html`<span class="fate"><span class="cross-sign" aria-hidden="true">${end.mood === "dead" ? "✕" : "?"}</span> ${say(text(end.mood === "dead" ? "strip.dropped" : "strip.unknown"), lang)}</span><span class="reason"><code>${end.title}</code> ${end.note}</span>`;
  const name = stop.stack === "" ? say(text("strip.network"), lang) : stop.stack;
  return html`<li class="stop ${mood} ${place}"><a class="box" href="#${stop.step}"${end?.mood === "dead" ? html` data-death=""` : null}><b class="name">${name}</b>${
    role === undefined ? null : html`<span class="role">${role}</span>`
  }${stop.changes.map((c) => html`<code class="nat">${beforePorts(c)}</code>`)}${fate}${
    way.arrives && end === undefined && way.direction === "reply" && isLast(stop, way)
      ? html`<span class="came"><span aria-hidden="true">✓</span> ${say(text("strip.back"), lang)}</span>`
      : null
  }</a></li>`;
}

const isLast = (stop: Stop, way: Way): boolean => way.stops.at(-1) === stop;

/** In a narrow box a port goes to the next line as a whole, rather than in the middle of its digits. */
const beforePorts = (change: string): readonly Html[] =>
  change.split(/(?=:\d+(?:\s|$))/).map((part, i) => (i === 0 ? html`${part}` : html`<wbr>${part}`));
