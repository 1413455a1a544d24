import type { Askable } from "../../diagnose/index.ts";
import { findingsOf, type Inspected, inspect } from "../answer.ts";
import { Sharing } from "../classes/sharing.ts";
import type { FlowQuestion, Group } from "../flow.ts";
import { Joining, type Likeness } from "../joining.ts";
import { askedOf, type Flow } from "../plan.ts";
import type { Views } from "../views/views.ts";
import type { Expectation } from "./expectation.ts";
import { type Found, faultsOf } from "./held.ts";
import { traitsOf } from "./traits.ts";

/** What a walk came to, for all flows that go its way. */
type Known = Pick<Found, "answer" | "seen">;

interface Shared {
  readonly sharing: Sharing<Known>;
  readonly joining: Joining<Known>;
}

export const knownOf = (inspected: Inspected): Known => ({
  answer: findingsOf(inspected),
  seen: traitsOf(inspected),
});

/** Flows of one line that fare alike. */
interface Alike {
  readonly asked: FlowQuestion;
  readonly known: Known;
  flows: number;
}

/** Flows asked one by one, those that go the way of another by its walk, whichever line it was asked for. */
export class Answers {
  readonly #askable: Askable;
  readonly #views: Views | undefined;
  readonly #likeness: Likeness | undefined;
  readonly #groups = new Map<string, Shared>();

  constructor(askable: Askable, views: Views | undefined, likeness: Likeness | undefined) {
    this.#askable = askable;
    this.#views = views;
    this.#likeness = likeness;
  }

  /** Asks all flows of a group that a line means; told after each of them. */
  *ask(line: Expectation, group: Group, flows: Iterable<Flow>): Generator<Found, readonly Found[]> {
    // Which nodes are passed is told of each flow by itself.
    const shared = line.viaNode === undefined ? this.#sharedIn(group) : undefined;
    const found = new Map<Known, Alike>();
    for (const flow of flows) {
      const known = this.#answer(flow, shared);
      let alike = found.get(known);
      if (alike === undefined) {
        const asked = askedOf(flow);
        alike = { asked, known, flows: 0 };
        found.set(known, alike);
      }
      alike.flows++;
      yield { ...known, asked: alike.asked, flows: alike.flows };
    }
    return [...found.values()].map(({ asked, known, flows }) => this.#told({ ...known, asked, flows }, line));
  }

  /** What does not hold is told with the names of a flow of this line: the walk may have been another's. */
  #told(found: Found, line: Expectation): Found {
    if (faultsOf(found, line).length === 0) return found;
    return { ...found, ...knownOf(inspect(this.#askable, found.asked)) };
  }

  #sharedIn({ key }: Group): Shared | undefined {
    const views = this.#views;
    if (views === undefined || this.#likeness === undefined) return undefined;
    let shared = this.#groups.get(key);
    if (shared === undefined) {
      const sharing = new Sharing<Known>(views);
      const met = {
        met: (flow: Flow) => (sharing.full ? undefined : sharing.met(flow)),
        chainsMet: (flow: Flow) => sharing.chainsMet(flow),
      };
      shared = { sharing, joining: new Joining<Known>(this.#likeness, met) };
      this.#groups.set(key, shared);
    }
    return shared;
  }

  #answer(flow: Flow, shared: Shared | undefined): Known {
    const first = shared?.joining.find(flow);
    if (first !== undefined) return first.open;
    let known = shared?.sharing.find(flow);
    if (known === undefined) {
      const inspected = inspect(this.#askable, askedOf(flow));
      known = knownOf(inspected);
      const { question, exploration } = inspected;
      if (question !== undefined)
        shared?.sharing.learn(flow, question, exploration, known, inspected.verdict.verdict === "reachable");
    }
    shared?.joining.note(flow, known);
    return known;
  }
}
