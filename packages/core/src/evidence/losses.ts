import { type Text, text } from "../messages/index.ts";
import {
  type ConntrackEntry,
  isHostName,
  linesOf,
  type Observations,
  type ObservedHost,
  type ObservedPlace,
  type Origin,
} from "../model/index.ts";
import { hasPorts, PROTO } from "../net/index.ts";
import { askersWord } from "./asker.ts";
import type { ObservedConnection } from "./connection.ts";
import { endText, flowText, hostText, placeText } from "./endpoint-text.ts";
import { type ConnectionOutcome, isLoss } from "./outcome.ts";
import { concerns, type QuestionFlow } from "./question-flow.ts";
import { complaintsAbout } from "./services.ts";

/** An observation that says the asked flow fails, or that it works; `mixed`: now and then, or late. */
export interface Testimony {
  readonly kind: "loss" | "success" | "mixed";
  readonly text: Text;
  /** What became of it, as a capture (Outcome) or a client (SymptomResult) shows it. */
  readonly outcome?: string;
  /** Who sent it, and where that was seen. */
  readonly src?: ObservedHost;
  readonly place?: ObservedPlace;
  /** Seen under an address that a translation nobody showed may have given it: it may be another's. */
  readonly uncertain?: true;
  /** The asker's own word (`--sees`). */
  readonly byAsker?: true;
  readonly origin: Origin;
}

/** What was seen, and the line that shows it. */
export function testimonyText({ origin, text: what }: Testimony): Text {
  const [line] = linesOf(origin);
  return line === undefined ? what : text("evidence.at", { where: `${line.file}:${line.line}`, what });
}

/** Lost and not lost at once. */
const MIXED: ReadonlySet<ConnectionOutcome> = new Set(["late", "partly-answered"]);

/** Three seconds: two SYNs were lost. */
const SLOW = 3;

/** What captures and clients tell about the asked destination. Captures count by the form the client sent. */
export function testimonies(
  query: QuestionFlow,
  observations: Observations,
  connections: readonly ObservedConnection[],
  tracked: readonly ConntrackEntry[] = [],
): readonly Testimony[] {
  const found: Testimony[] = [
    ...(query.sees === undefined ? [] : [askersWord(query.sees)]),
    ...trackedLosses(query, tracked),
    ...underLoad(observations),
    ...complaintsAbout(query, observations),
  ];
  for (const c of connections) {
    const icmp = query.protocol === PROTO.icmp && (c.protocol === PROTO.icmp || c.protocol === PROTO.icmp6);
    if (c.protocol !== query.protocol && !icmp) continue;
    // A connection counts whichever of its forms was asked about: the address called, or the one behind it.
    if (!c.sightings.some((s) => s.role !== "icmp-error" && concerns(query, s.ip))) continue;
    if (c.outcome === "open") continue;
    const { src } = c.request;
    if (!isHostName(src) && query.isOthers?.(src) === true) continue;
    const last = c.last;
    const observed = { flow: flowText(c.request), outcome: text(`outcome.${c.outcome}`) };
    const where = last === undefined ? undefined : placeText(last.place, last.device);
    const origin = last?.origin ?? c.forms[0]?.origin;
    if (origin === undefined) continue;
    found.push({
      kind: MIXED.has(c.outcome) ? "mixed" : isLoss(c.outcome) ? "loss" : "success",
      text:
        last === undefined || where === undefined
          ? text("evidence.flow", observed)
          : text("evidence.flow-last", { ...observed, place: where, last: flowText(last.ip) }),
      outcome: c.outcome === "refused" && c.sightings.some((s) => s.role === "icmp-error") ? "refused-icmp" : c.outcome,
      src,
      ...(mayBeAnothers(query, src) && { uncertain: true as const }),
      origin,
    });
  }
  for (const s of observations.symptoms) {
    if (s.target === undefined || isHostName(s.target) || hostText(s.target) !== hostText(query.to)) continue;
    if (hasPorts(query.protocol) ? s.protocol !== query.protocol || s.port !== query.port : s.tool !== "ping") continue;
    if (s.bind !== query.bind) continue;
    const target = hasPorts(query.protocol) ? endText(s.target, s.port) : hostText(s.target);
    const to = {
      tool: s.tool,
      target: s.bind === undefined ? target : text("symptom.target-from", { target, bind: s.bind }),
    };
    if (s.result === "ok" && (s.took ?? 0) >= SLOW)
      found.push({ kind: "mixed", text: text("symptom.slow", { ...to, seconds: s.took ?? 0 }), origin: s.origin });
    else if (s.result === "ok")
      found.push({ kind: "success", text: text("symptom.ok", to), place: s.place, origin: s.origin });
    else if (s.result !== "no-name" && s.result !== "other")
      found.push({ kind: "loss", text: text(`symptom.${s.result}`, to), outcome: s.result, origin: s.origin });
  }
  return found;
}

const mayBeAnothers = ({ isOwn, mayBecome }: QuestionFlow, src: ObservedHost): boolean =>
  !isHostName(src) && isOwn?.(src) !== true && mayBecome?.(src) === true;

/** It never had an answer, or the client never acknowledged one. */
export const tellsOfLoss = ({ unreplied, tcpState }: ConntrackEntry): boolean => unreplied || tcpState === "SYN_RECV";

/** Entries of the connection table for the asked flow that never had an answer, or whose answer the client never acknowledged. */
function trackedLosses(requested: QuestionFlow, tracked: readonly ConntrackEntry[]): readonly Testimony[] {
  return tracked.flatMap((entry): Testimony[] => {
    const { original, tcpState, origin } = entry;
    const unheard = tcpState === "SYN_RECV";
    if (!tellsOfLoss(entry) || original.protocol !== requested.protocol || origin.kind !== "read") return [];
    if (!concerns(requested, original) || requested.isOthers?.(original.src) === true) return [];
    const flow = flowText(original);
    return unheard
      ? [
          {
            kind: "loss",
            text: text("evidence.syn-recv", { flow }),
            outcome: "answer-unheard",
            src: original.src,
            origin,
          },
        ]
      : [{ kind: "loss", text: text("evidence.unreplied", { flow }), origin }];
  });
}

/** Signs that packets are lost by time or load, whatever the rules say. */
function underLoad({ counters, complaints }: Observations): readonly Testimony[] {
  const dropped = counters.filter((c) => /^conntrack\.(?:insert_failed|early_drop)$/.test(c.name) && c.value > 0);
  const worst = dropped.reduce<(typeof dropped)[number] | undefined>(
    (most, c) => (most === undefined || c.value > most.value ? c : most),
    undefined,
  );
  const full = complaints.find((c) => c.what === "conntrack-full");
  return [
    ...(worst === undefined
      ? []
      : [
          {
            kind: "loss" as const,
            text: text("evidence.counter", {
              node: worst.place.node,
              counter: worst.name.replace(".", " "),
              value: worst.value,
            }),
            origin: worst.origin,
          },
        ]),
    ...(full === undefined
      ? []
      : [{ kind: "loss" as const, text: text("evidence.table-full", { node: full.place.node }), origin: full.origin }]),
  ];
}
