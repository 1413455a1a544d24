import {
  connectionsOf,
  derivedFacts,
  endText,
  flowText,
  type LoggedPacket,
  loggedPackets,
  type ObservedConnection,
  placeText,
  type Sighting,
} from "../evidence/index.ts";
import { say, text } from "../messages/index.ts";
import type { Observations, ReadOrigin } from "../model/index.ts";
import { protocolName } from "../net/index.ts";
import type { LineTexts } from "./line-texts.ts";
import type { SeenFact, SeenFlow, SeenLog, SeenReport, SeenStep } from "./report.ts";

/** Reports stay readable: what fails comes first, and no more than this of anything. */
const MAX_FLOWS = 200;
const MAX_STEPS = 24;

const RANK: Readonly<Record<ObservedConnection["outcome"], number>> = {
  refused: 0,
  unreachable: 0,
  unanswered: 0,
  "answer-unheard": 0,
  "answer-lost": 0,
  "answer-refused": 0,
  "partly-answered": 0,
  late: 0,
  stalled: 0,
  open: 1,
  answered: 2,
  established: 2,
};

const at = ({ file, line }: ReadOrigin): { readonly file: string; readonly line: number } => ({ file, line });

function stepOf(s: Sighting): SeenStep {
  return {
    what: s.role,
    place: placeText(s.place, s.device),
    direction: s.direction ?? null,
    flow: flowText(s.ip),
    vlans: s.vlans ?? [],
    tunnel: s.tunnel ?? null,
    times: s.times,
    ...at(s.origin),
  };
}

function flowOf(c: ObservedConnection): SeenFlow {
  const last = c.last;
  return {
    protocol: c.protocol === undefined ? null : protocolName(c.protocol),
    flow: flowText(c.request),
    forms: c.forms.map((f) => f.text),
    outcome: c.outcome,
    meaning: say(text(`seen.${c.outcome}`)),
    steps: c.sightings.slice(0, MAX_STEPS).map(stepOf),
    last: last === undefined ? null : stepOf(last),
  };
}

const logOf = ({ ip, steps }: LoggedPacket): SeenLog => ({
  flow: flowText(ip),
  steps: steps.slice(0, 64).map((s) => ({
    table: s.table ?? null,
    hook: s.hook ?? null,
    chain: s.chain ?? null,
    rule: s.line.trace?.rule ?? null,
    in: s.line.in ?? null,
    out: s.line.out ?? null,
    changed: s.changed,
    ...at(s.line.origin),
  })),
});

/** What captures, logs and clients show, each connection followed through all of them. */
export function observedOf(observations: Observations, texts: LineTexts): SeenReport {
  const connections = connectionsOf(observations.packets);
  const sorted = [...connections].sort((a, b) => RANK[a.outcome] - RANK[b.outcome]);
  const facts = derivedFacts(observations, connections);
  return {
    flows: sorted.slice(0, MAX_FLOWS).map(flowOf),
    left: Math.max(0, sorted.length - MAX_FLOWS),
    logged: loggedPackets(observations.lines).slice(0, MAX_FLOWS).map(logOf),
    facts: facts
      .slice(0, MAX_FLOWS)
      .map(({ code, text, origins }): SeenFact => ({ code, text, evidence: texts.evidence(...origins) })),
    symptoms: observations.symptoms.slice(0, MAX_FLOWS).map((s) => ({
      place: placeText(s.place),
      tool: s.tool,
      target: s.target === undefined ? (s.name ?? null) : endText(s.target, s.port),
      result: s.result,
      text: s.text,
      ...at(s.origin),
    })),
  };
}
