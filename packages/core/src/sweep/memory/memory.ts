import type { NotedCure } from "../../remedy/index.ts";
import type { Answer } from "../answer.ts";
import type { Looked } from "../classes/sharing.ts";
import type { Group, Source, Target } from "../flow.ts";
import type { Open } from "../open-class.ts";
import type { Flow } from "../plan.ts";
import type { Views } from "../views/views.ts";
import { FlowList, Numbered } from "./flow-list.ts";
import type { Planned } from "./same-plan.ts";

/** A class of a sweep, and all that its answer rests on. */
export interface KnownClass {
  /** The one that was walked. */
  readonly first: Flow;
  readonly answer: Answer;
  readonly looked: Looked | undefined;
  /** Stacks that packets came by, in every walk the answer is made of: with a rule taken away, a fix tried. */
  readonly cameBy: ReadonlySet<string>;
  /** What had cured others before it was asked, and what was found for it. */
  readonly cures: readonly NotedCure[];
  readonly found: readonly NotedCure[];
}

/** All flows of a group in their turns, and the class of each. */
export interface NotedGroup {
  readonly targets: readonly Target[];
  readonly flows: FlowList;
  /** In the order in which they were opened. */
  readonly classes: readonly Open[];
  /** The turn of the first of each class. */
  readonly firsts: readonly number[];
  /** The class of each turn, by its number. */
  readonly classOf: readonly number[];
  /** From here on what walks looked at was not kept. */
  readonly fullAt: number | undefined;
}

interface Noting extends NotedGroup {
  readonly classes: Open[];
  readonly firsts: number[];
  readonly classOf: number[];
  fullAt: number | undefined;
}

/** What a sweep takes note of, flow by flow, so that the next one need not walk what is as it was. */
export class Memory {
  readonly #groups = new Map<string, Noting>();
  readonly #askers = new Numbered<Source>();
  #last: NotedGroup | undefined;
  views: Views | undefined;
  planned: Planned | undefined;
  done = false;

  /** By their keys, in their order. */
  get groups(): ReadonlyMap<string, NotedGroup> {
    return this.#groups;
  }

  note({ key, targets }: Group, flow: Flow, open: Open, isFull: boolean): void {
    let noted = this.#groups.get(key);
    if (noted === undefined) {
      noted = { targets, flows: new FlowList(this.#askers), classes: [], firsts: [], classOf: [], fullAt: undefined };
      this.#groups.set(key, noted);
    }
    this.#last = noted;
    const turn = noted.flows.length;
    noted.flows.add(flow);
    noted.classOf.push(open.number);
    if (open.number === noted.classes.length) {
      noted.classes.push(open);
      noted.firsts.push(turn);
    }
    if (isFull) noted.fullAt ??= turn;
  }

  /** All of a group; `later`: it is not asked to its end yet. Undefined: what walks looked at was not kept, or something else was asked. */
  allOf({ key, targets }: Group): NotedGroup | "later" | undefined {
    const noted = this.#groups.get(key);
    if (!this.done && (noted === undefined || noted === this.#last)) return "later";
    if (noted === undefined || noted.fullAt !== undefined) return undefined;
    const isSame =
      targets === noted.targets ||
      (targets.length === noted.targets.length && targets.every((t, i) => isSameTarget(t, noted.targets[i]!)));
    return isSame ? noted : undefined;
  }

  /** The class of the flow that was asked in this turn; `later`: it is not asked yet. */
  at(group: string, turn: number, flow: Flow): KnownClass | "later" | undefined {
    const noted = this.#groups.get(group);
    if (noted === undefined || turn >= noted.flows.length) return this.done ? undefined : "later";
    if (noted.fullAt !== undefined && turn >= noted.fullAt) return undefined;
    return isSameFlow(noted.flows.at(turn), flow) ? noted.classes[noted.classOf[turn]!]!.known : undefined;
  }
}

export const isSameFlow = (a: Flow, b: Flow): boolean =>
  a.target.address === b.target.address &&
  a.target.port === b.target.port &&
  a.target.protocol === b.target.protocol &&
  a.source.from === b.source.from &&
  a.source.node === b.source.node &&
  a.source.kind === b.source.kind;

const isSameTarget = (a: Target, b: Target): boolean =>
  a.address === b.address &&
  a.port === b.port &&
  a.protocol === b.protocol &&
  a.node === b.node &&
  a.name === b.name &&
  a.endpoints.size === b.endpoints.size &&
  [...a.endpoints].every((e) => b.endpoints.has(e));
