import { packetText, placeText } from "@hairpin/core/diagnose/index.ts";
import { type Lang, packetName, say, sayDecision, text } from "@hairpin/core/messages/index.ts";
import { type Decision, type Hook, type Packet, type Port, type Step, samePort } from "@hairpin/core/model/index.ts";
import { formatAddress } from "@hairpin/core/net/index.ts";
import type { Leg } from "@hairpin/core/trace/index.ts";

export type Mood = "quiet" | "plain" | "change" | "arrived" | "left" | "dead" | "answered" | "unknown";

/** A place in a stack that the packet passed, with all the steps it took there. */
export interface Station {
  readonly type: "station";
  readonly id: string;
  readonly stack: string;
  readonly title: string;
  readonly notes: readonly string[];
  /** Of the notes, those that tell which address or port was changed. */
  readonly changes: readonly string[];
  readonly mood: Mood;
  /** Steps of the leg, first and last. */
  readonly steps: readonly [number, number];
}

/** From one stack to another, or out of a stack and back into it. */
export interface Crossing {
  readonly type: "crossing";
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly out: string;
  readonly in: string;
  readonly packet: string;
  /** What the network between did. */
  readonly notes: readonly string[];
  readonly steps: readonly [number, number];
}

export type Row = Station | Crossing;

interface Draft {
  readonly place: string;
  readonly stack: string;
  readonly from: number;
  to: number;
}

/** The steps of a leg, drawn together to the places they were taken at. */
export function rowsOf(leg: Leg, id: string, lang: Lang): readonly Row[] {
  const { steps } = leg;
  const drafts: Draft[] = [];
  let hook: Hook | undefined;
  for (const [i, step] of steps.entries()) {
    const place = placeOf(step);
    if ("hook" in step) hook = step.hook;
    else if (place !== "hook") hook = undefined;
    const last = drafts[drafts.length - 1];
    const named = place === "hook" ? `hook ${hook ?? next(steps, i) ?? ""}` : place;
    if (last !== undefined && last.place === named && (last.stack === step.stack || named === "crossing")) last.to = i;
    else drafts.push({ place: named, stack: step.stack, from: i, to: i });
  }
  const rows = drafts.flatMap((d, i): Row[] => {
    const own = steps.slice(d.from, d.to + 1);
    const key = `${id}-t${i}`;
    const range = [d.from, d.to] as const;
    if (d.place === "crossing") return crossing(own, steps[d.to + 1], key, range, lang).slice();
    return [stationOf(d, own, steps[d.from - 1]?.packet, key, range, lang)];
  });
  return ended(rows, leg, id, lang);
}

/** Which place a step belongs to. What conntrack and rules do belongs to the hook they run in. */
function placeOf(step: Step): string {
  switch (step.kind) {
    case "send":
    case "socket":
      return "socket";
    case "hook":
    case "rule":
    case "log":
    case "conntrack":
    case "nat":
      return "hook";
    case "route":
      return step.lookup === "ipvs" ? "ipvs" : "routing";
    case "source validation":
    case "forward":
      return "routing";
    case "bridge":
      return `bridge ${step.bridge}`;
    case "arp":
    case "transmit":
    case "link":
    case "receive":
      return "crossing";
    default:
      return step.kind;
  }
}

/** Conntrack looks before the first table of a hook is entered: the hook it stands before. */
function next(steps: readonly Step[], from: number): Hook | undefined {
  for (let i = from; i < steps.length; i++) {
    const step = steps[i]!;
    if (step.stack !== steps[from]!.stack) return undefined;
    if ("hook" in step) return step.hook;
  }
  return undefined;
}

const port = (p: Port): string => (typeof p === "number" ? `:${p}` : "");
const src = (p: Packet): string => `${formatAddress(p.src)}${p.icmp === undefined ? port(p.sport) : ""}`;
const dst = (p: Packet): string => `${formatAddress(p.dst)}${p.icmp === undefined ? port(p.dport) : ""}`;

/** A source that the kernel has not chosen yet is no address that could change. */
export const isChosen = (p: Packet): boolean => !/^(?:0\.0\.0\.0|::)$/.test(formatAddress(p.src));

/** Which addresses or ports a place changed. */
function changes(before: Packet | undefined, after: Packet): readonly string[] {
  if (before === undefined || !isChosen(before)) return [];
  const lines: string[] = [];
  if (before.src !== after.src || !samePort(before.sport, after.sport))
    lines.push(`src ${src(before)} → ${src(after)}`);
  if (before.dst !== after.dst || !samePort(before.dport, after.dport))
    lines.push(`dst ${dst(before)} → ${dst(after)}`);
  return lines;
}

/** Decisions that change neither the packet nor its fate. */
const UNTOLD: ReadonlySet<Decision["kind"]> = new Set<Decision["kind"]>(["jump", "goto", "return", "log"]);

/** Hooks of netfilter keep their names. */
function titleOf(place: string, lang: Lang): string {
  if (place === "routing" || place === "socket" || place === "tunnel") return say(text(`picture.${place}`), lang);
  if (place === "ipvs") return "IPVS";
  if (place.startsWith("bridge ")) return say(text("picture.bridge", { bridge: place.slice(7) }), lang);
  return place.replace(/^hook ?/, "") || "conntrack";
}

function stationOf(
  draft: Draft,
  own: readonly Step[],
  previous: Packet | undefined,
  id: string,
  steps: readonly [number, number],
  lang: Lang,
): Station {
  const { place, stack } = draft;
  const last = own[own.length - 1]!;
  const base = { type: "station", id, stack, steps, changes: [] } as const;
  if (last.kind === "drop")
    return { ...base, title: last.reason, notes: [sayDecision(last.decision, lang)], mood: "dead" };
  if (last.kind === "error")
    return {
      ...base,
      title: say(packetName(last.answer), lang),
      notes: [sayDecision(last.decision, lang)],
      mood: "answered",
    };
  // What a tunnel wraps keeps its addresses; those of the packet around it are others.
  const changed = last.kind === "tunnel" ? [] : changes(previous, last.packet);
  const notes = [...new Set([...changed, ...own.flatMap((s) => noteOf(s, lang))])];
  const delivered = own.some((s) => s.kind === "socket" && s.result === "delivered");
  const mood: Mood = delivered ? "arrived" : changed.length > 0 ? "change" : notes.length > 0 ? "plain" : "quiet";
  return { ...base, title: titleOf(place, lang), notes, changes: changed, mood };
}

/** What is worth a word in the picture; the list of steps has it all. */
function noteOf(step: Step, lang: Lang): readonly string[] {
  switch (step.kind) {
    case "send":
      return [packetText(step.packet)];
    case "rule":
      return step.effect === "not matched" || UNTOLD.has(step.decision.kind) ? [] : [sayDecision(step.decision, lang)];
    case "route":
      return [routeNote(step)];
    case "source validation":
      return step.result === "ok" ? [] : [sayDecision(step.decision, lang)];
    case "conntrack":
      return step.state === "INVALID" || step.state === "UNTRACKED" ? [step.state] : [];
    case "ipvs":
    case "bridge":
    case "socket":
      return [sayDecision(step.decision, lang)];
    case "tunnel":
      return [sayDecision(step.decision, lang), packetText(step.packet)];
    default:
      return [];
  }
}

function routeNote(step: Step & { readonly kind: "route" }): string {
  const rule = step.rule === undefined || step.rule === 0 || step.rule >= 32766 ? "" : ` (rule ${step.rule})`;
  if (step.result === "error") return `${step.error ?? "error"}${rule}`;
  if (step.result === "local") return `local${rule}`;
  const via = step.gateway === undefined ? "" : ` via ${formatAddress(step.gateway)}`;
  return `dev ${step.device ?? "?"}${via}${rule}`;
}

function crossing(
  own: readonly Step[],
  after: Step | undefined,
  id: string,
  steps: readonly [number, number],
  lang: Lang,
): readonly Row[] {
  const first = own[0]!;
  const out = own.find((s) => s.kind === "transmit");
  const taken = own.find((s) => s.kind === "receive");
  const notes = own.flatMap((s) =>
    s.kind === "link" || (s.kind === "arp" && s.result === "no answer") ? [sayDecision(s.decision, lang)] : [],
  );
  const device = out?.kind === "transmit" ? out.device : "";
  if (taken === undefined && (after === undefined || after.stack === first.stack)) {
    // It went no further than a device of its own: a bridge's, a tunnel's; or nobody took it.
    const station = {
      type: "station",
      id,
      stack: first.stack,
      title: `→ ${device}`,
      notes,
      changes: [],
      mood: "plain",
      steps,
    } as const;
    return notes.length === 0 ? [] : [station];
  }
  const last = own[own.length - 1]!;
  return [
    {
      type: "crossing",
      id,
      from: first.stack,
      to: taken?.stack ?? after?.stack ?? last.stack,
      out: device,
      in: taken?.kind === "receive" ? taken.device : "",
      packet: packetText(last.packet),
      notes,
      steps,
    },
  ];
}

/** What a leg ends in: a station that says so, whatever its last step was. */
function ended(rows: readonly Row[], leg: Leg, id: string, lang: Lang): readonly Row[] {
  const decision = sayDecision(leg.decision, lang);
  const last = leg.steps.length - 1;
  const end = {
    type: "station",
    id: `${id}-end`,
    stack: leg.stack,
    title: say(placeText(leg.step), lang),
    changes: [],
    steps: [last, last],
  } as const;
  switch (leg.disposition) {
    case "delivered":
      return rows;
    case "forwarded":
      return [...rows, { ...end, title: "", notes: [decision], mood: "left" }];
    case "undetermined":
      return [...rows, { ...end, notes: [decision], mood: "unknown" }];
    default: {
      const place = rows.at(-1);
      if (place?.type !== "station") return [...rows, { ...end, notes: [decision], mood: "dead" }];
      if (rows.some((r) => r.type === "station" && r.mood === "dead")) return rows;
      const answer = place.mood === "answered" ? [`↩ ${place.title}`] : place.notes;
      const notes = [...new Set([decision, ...answer])];
      return [...rows.slice(0, -1), { ...place, title: leg.drop ?? place.title, notes, mood: "dead" }];
    }
  }
}
