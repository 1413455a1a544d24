import type { ObservedConnection, QuestionFlow, Testimony } from "../evidence/index.ts";
import type { Observations, World } from "../model/index.ts";
import type { Exploration, Question } from "../trace/index.ts";
import { SIGNS } from "./catalogue.ts";
import type { ClaimedCause } from "./cause.ts";
import type { CauseCode } from "./code.ts";

/** Everything there is to look at, beside the walk. */
export interface Look {
  readonly world: World;
  readonly question: Question;
  /** The same as observations are told apart by it. */
  readonly flow: QuestionFlow;
  readonly exploration: Exploration;
  readonly observations: Observations;
  readonly connections: readonly ObservedConnection[];
  /** What was seen of the asked flow. */
  readonly testimonies: readonly Testimony[];
}

/**
 * A cause that no single walk can show (of time and load, of the network between the nodes, of objects), where dumps,
 * captures, counters or logs give it away. Never `proven`.
 */
export interface Sign {
  readonly codes: readonly CauseCode[];
  readonly detect: (look: Look) => readonly ClaimedCause[];
}

export const signs = (look: Look): readonly ClaimedCause[] => SIGNS.flatMap((s) => s.detect(look));
