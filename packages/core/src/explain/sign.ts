import type { ObservedConnection, QuestionFlow, Testimony } from "../evidence/index.ts";
import type { Text } from "../messages/index.ts";
import type { Observations, Origin, World } from "../model/index.ts";
import type { Exploration, Question } from "../trace/index.ts";
import { SIGNS } from "./catalogue.ts";
import type { ClaimedCause } from "./cause.ts";
import type { CauseCode } from "./code.ts";

/** Where a node is not as kube-proxy should have programmed it from the objects, as `check` tells it. */
export interface Drift {
  readonly node: string;
  readonly service?: string;
  readonly text: Text;
  readonly expected: readonly Origin[];
  readonly actual: readonly Origin[];
}

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
  /** What `check` finds of the nodes that are asked for: it compares all of a node. */
  readonly drift?: (isAsked: (node: string) => boolean) => readonly Drift[];
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
