import { type Text, text } from "../messages/index.ts";
import type { Step } from "../model/index.ts";
import { formatAddress } from "../net/index.ts";
import { decisiveLeg, type Exploration } from "../trace/index.ts";
import type { ObservedConnection } from "./connection.ts";
import { flowText, hostText, placeText } from "./endpoint-text.ts";
import type { Testimony } from "./losses.ts";
import { isLoss } from "./outcome.ts";
import type { Sighting } from "./sighting.ts";

/** Outcomes in which somebody answered the request. */
export const ANSWERED: ReadonlySet<string> = new Set([
  "established",
  "late",
  "stalled",
  "answered",
  "partly-answered",
  "answer-unheard",
  "answer-lost",
  "answer-refused",
]);

/** The walk loses the request in every branch, and yet an answer to it was seen: what stands against its account. */
export function againstTheWalk({ branches }: Exploration, testimonies: readonly Testimony[]): readonly Testimony[] {
  const losesRequest = branches.every((b) => {
    const leg = decisiveLeg(b);
    return leg === b.request && (leg.disposition === "dropped" || leg.disposition === "rejected");
  });
  return losesRequest ? testimonies.filter((t) => ANSWERED.has(t.outcome ?? "")) : [];
}

/** Where a connection that was lost was seen last, and where the walk says that it goes next. */
export function nextByTheWalk(exploration: Exploration, connections: readonly ObservedConnection[]): readonly Text[] {
  return connections.flatMap(({ outcome, last }) => {
    const next = isLoss(outcome) && last !== undefined ? nextAfter(exploration, last) : undefined;
    if (last === undefined || next === undefined) return [];
    const what = text("evidence.seen", { flow: flowText(last.ip), place: placeText(last.place, last.device) });
    return [text("evidence.next", { what, place: `${next.stack} ${next.device}` })];
  });
}

const isPassage = (s: Step): s is Extract<Step, { kind: "transmit" | "receive" }> =>
  s.kind === "transmit" || s.kind === "receive";

function nextAfter({ branches }: Exploration, { ip, place, device }: Sighting) {
  const stack = place.stack ?? place.node;
  const at = device ?? place.device;
  for (const { request, reply } of branches) {
    const passages = [...request.steps, ...(reply?.steps ?? [])].filter(isPassage);
    const here = (s: (typeof passages)[number]): boolean =>
      s.stack === stack &&
      (at === undefined || at === "any" || s.device === at) &&
      formatAddress(s.packet.src) === hostText(ip.src) &&
      formatAddress(s.packet.dst) === hostText(ip.dst);
    const index = passages.map(here).lastIndexOf(true);
    const next = index < 0 ? undefined : passages.slice(index + 1).find((s) => !here(s));
    if (next !== undefined) return next;
  }
  return undefined;
}
