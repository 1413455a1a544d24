import { agrees, type SettledFact } from "../evidence/index.ts";
import { type Certainty, type ClaimedCause, type Look, signs } from "../explain/index.ts";
import { type Text, text } from "../messages/index.ts";
import { type DecisiveFact, groundsOf, type Judgement, judge } from "../trace/index.ts";
import type { Askable } from "./askable.ts";
import type { Inquiry } from "./inquiry.ts";
import { carrierCauses } from "./open/carrier.ts";
import { clientPlaces } from "./open/client-places.ts";
import { askedAsCaptured } from "./open/kept-port.ts";
import { delivers as getsThrough, leaning } from "./open/rests-on.ts";
import { type SentFrom, sentFrom } from "./open/sent-from.ts";
import type { QuestionOptions } from "./question-options.ts";
import { settledByProbes } from "./settled-by-probes.ts";
import { weigh } from "./weigh.ts";

/** The verdict over the walk, what was seen, and what nobody showed. */
export interface Judged {
  readonly inquiry: Inquiry;
  /** What the walk alone comes to. */
  readonly walked: Judgement;
  readonly verdict: Judgement;
  /** The walk delivers or leaves it open, and rests on what nobody showed. */
  readonly rests: boolean;
  /** Where the request was captured on its way out. */
  readonly sent: readonly SentFrom[];
  /** Causes that what was seen gives away, whatever the walk says. */
  readonly suspected: readonly ClaimedCause[];
  /** Observations that the walk does not explain, or that could not be read. */
  readonly contradictions: readonly Text[];
  /** Open facts that what was seen decides. */
  readonly settled: readonly SettledFact[];
  /** What still decides by the walk alone, where nothing but the failure itself speaks for what is left. */
  readonly decisiveFacts: readonly DecisiveFact[];
  /** No cause may be claimed with more certainty. */
  readonly most: Certainty;
}

/** The walk, what was seen of the flow, and the verdict over both: all of the answer but why and what helps. */
export function verdictOf(askable: Askable, asked: QuestionOptions): Judged {
  const first = askable.ask(asked);
  const options = askedAsCaptured(askable, first, asked);
  const {
    inquiry,
    settled: observed,
    decisiveFacts,
    cap,
  } = weigh(askable, settledByProbes(askable, options === asked ? first : askable.ask(options), options));
  const settled = [...(inquiry.settled ?? []), ...observed];
  const look = askable.evidence.look(inquiry);
  const walked = orElsewhere(judge(inquiry.exploration, wasLost(inquiry, look)), clientPlaces(askable, inquiry));
  const carried = walked.verdict === "unreachable" ? [] : carrierCauses(askable, look);
  const suspected = look === undefined ? [] : [...carried, ...signs(look)];
  const doubts = suspected.map((c) => text("evidence.suspected", { code: c.code, what: c.summary }));
  const delivers = walked.verdict === "reachable" || walked.leaning === "reachable";
  const unexplained = delivers ? [...askable.evidence.unexplained(inquiry), ...doubts] : [];
  const fails = walked.verdict === "unreachable";
  const [worked, answered] = fails
    ? [askable.evidence.successes(inquiry), askable.evidence.answers(inquiry)]
    : [[], []];
  const denied = delivers ? [] : [...deniedByAsker(inquiry, walked), ...askable.evidence.disagreements(inquiry)];
  // Seen to work, any cause is doubtful; answered where the walk loses the request, seen to fail otherwise, or walked through one of
  // two dumps that disagree, its account of it.
  const disputed = answered.length > 0 || denied.length > 0;
  const delivered = getsThrough(walked, inquiry.exploration);
  const open = delivered || walked.verdict === "undetermined";
  const rests = open && groundsOf(inquiry.exploration).length > 0 && !observedToWork(askable, inquiry);
  return {
    inquiry,
    walked,
    verdict:
      unexplained.length > 0
        ? doubted(walked, askable.evidence.showsBoth(inquiry))
        : delivered && rests
          ? leaning(walked)
          : walked,
    rests,
    suspected,
    sent: look === undefined || !rests ? [] : sentFrom(look),
    contradictions: fails ? [...worked, ...answered, ...denied] : [...unexplained, ...denied],
    settled,
    decisiveFacts,
    most: worked.length > 0 ? "possible" : disputed && cap === "proven" ? "inferred" : cap,
  };
}

/** From another place where the client may stand it comes to something else: then nobody knows. */
const orElsewhere = (judged: Judgement, places: DecisiveFact | undefined): Judgement =>
  places === undefined
    ? judged
    : {
        ...judged,
        verdict: "undetermined",
        reachableShare: null,
        clientSees: null,
        decisiveFacts: [places, ...judged.decisiveFacts],
      };

/** The asked flow was seen to fail, or its asker says so, and nobody saw it work. */
function wasLost({ spec: { sees } }: Inquiry, look: Look | undefined): boolean {
  const kinds = look?.testimonies.filter((t) => t.uncertain !== true).map((t) => t.kind) ?? [];
  const phrase = sees !== undefined && sees !== "works" && sees !== "intermittent" && sees !== "slow";
  return (phrase || kinds.includes("loss")) && kinds.every((kind) => kind === "loss") && sees !== "works";
}

/** Where there is one way only, its having worked shows all that it rests on; of several it says nothing. */
const observedToWork = (askable: Askable, inquiry: Inquiry): boolean =>
  inquiry.exploration.branches.length === 1 && askable.evidence.successes(inquiry).length > 0;

/** The walk fails, and the client sees something else than it would by the walk. */
function deniedByAsker({ spec: { sees } }: Inquiry, judged: Judgement): readonly Text[] {
  if (sees === undefined || sees === "works" || agrees(sees, judged)) return [];
  const walked = judged.clientSees === null ? text(`verdict.${judged.verdict}`) : text(`sees.${judged.clientSees}`);
  return [text("asker.disagrees", { word: text(`asker.${sees}`), sees: walked })];
}

/** A walk that delivers is not the last word where loss was seen that it does not explain. */
const doubted = ({ leaning: _, ...judged }: Judgement, both: boolean): Judgement => ({
  ...judged,
  verdict: both ? "intermittent" : "undetermined",
  reachableShare: null,
  clientSees: null,
});
