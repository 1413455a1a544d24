import type { ClaimedCause } from "../explain/index.ts";
import type { World } from "../model/index.ts";
import type { Exploration, Judgement, Question } from "../trace/index.ts";
import type { Flow } from "./flows.ts";

/** A flow that was asked, the World it was asked of, and what came out. */
export interface Case {
  /** As it was assembled; hosts that the walk made up are in the exploration's. */
  readonly world: World;
  readonly question: Question;
  readonly exploration: Exploration;
  readonly judgement: Judgement;
  /** What is claimed to be wrong, by the walk or by what was seen. */
  readonly causes?: readonly ClaimedCause[];
  /** The asked flow as it was asked, and flows whose fate somebody stated. */
  readonly query?: Flow;
  readonly controls?: readonly Flow[];
}
