import type { Askable } from "../diagnose/index.ts";
import type { World } from "../model/index.ts";
import { Cures } from "../remedy/index.ts";
import { notingStacks } from "../trace/index.ts";
import { type Answer, answerOf, inspect } from "./answer.ts";
import type { AlikeServices } from "./classes/alike.ts";
import { type Looked, type Met, Sharing, type Views } from "./classes/sharing.ts";
import { askedOf, type Flow } from "./plan.ts";
import type { KnownClass, Recall } from "./recall.ts";

/** Nothing else is said of it. */
const getsThrough = ({ verdict }: Answer): boolean => verdict === "reachable";

/** The flows of one group, each answered by a class that is known, by what an earlier sweep took note of, or by a walk. */
export class Asking<Open> {
  readonly #askable: Askable;
  readonly #world: World;
  readonly #recall: Recall | undefined;
  readonly #sharing: Sharing<Open> | undefined;
  readonly #alike: AlikeServices | undefined;
  readonly #cures = new Cures();
  /** Classes of before that are open by now. */
  readonly #kept = new Map<KnownClass, Open>();

  constructor(
    askable: Askable,
    world: World,
    views: Views | undefined,
    alike: AlikeServices | undefined,
    recall: Recall | undefined,
  ) {
    this.#askable = askable;
    this.#world = world;
    this.#recall = recall;
    this.#alike = alike;
    this.#sharing = views === undefined ? undefined : new Sharing<Open>(views);
  }

  /** Which class more flows belong to cannot be told any more. */
  get full(): boolean {
    return this.#sharing === undefined || this.#sharing.full;
  }

  /** Chains on the way of a flow that was answered. */
  chainsMet(flow: Flow): ReadonlySet<string> | undefined {
    return this.#sharing?.chainsMet(flow);
  }

  /** What a flow looked at that was answered. */
  met(flow: Flow): Met | undefined {
    return this.full ? undefined : this.#sharing?.met(flow);
  }

  /** The class it belongs to, of those that are open. `before`: the class it belonged to. */
  find(flow: Flow, before: KnownClass | undefined): Open | undefined {
    const stays = before !== undefined && !this.#touches(flow, before);
    const kept = stays ? this.#kept.get(before) : undefined;
    if (kept !== undefined) return kept;
    const found = this.#sharing?.find(flow);
    if (found !== undefined && stays) this.#kept.set(before, found);
    return found;
  }

  /** The first of its class: its answer, and all that this rests on. `make` opens the class. */
  open(
    flow: Flow,
    before: KnownClass | undefined,
    make: (known: Pick<KnownClass, "first" | "answer">) => Open,
  ): { readonly opened: Open; readonly known: KnownClass; readonly walked: boolean } {
    const recalled = before === undefined ? undefined : this.#recalled(flow, before);
    if (recalled === undefined) {
      const told = this.#told(flow, make);
      return told === undefined ? { ...this.#walk(flow, make), walked: true } : { ...told, walked: false };
    }
    const opened = make(recalled);
    for (const noted of recalled.found) this.#cures.note(noted);
    if (recalled.looked !== undefined)
      this.#sharing?.teach(flow, recalled.looked, opened, getsThrough(recalled.answer));
    if (!this.#touches(flow, before!)) this.#kept.set(before!, opened);
    return { opened, known: recalled, walked: false };
  }

  /** What a walk to another Service that is like this one came to. */
  #told(
    flow: Flow,
    make: (known: Pick<KnownClass, "first" | "answer">) => Open,
  ): { readonly opened: Open; readonly known: KnownClass } | undefined {
    const told = this.full ? undefined : this.#alike?.find(flow);
    if (told === undefined) return undefined;
    const { answer, looked, cameBy } = told;
    const opened = make({ first: flow, answer });
    this.#sharing?.teach(flow, looked, opened, getsThrough(answer));
    return { opened, known: { first: flow, answer, looked, cameBy, cures: [...this.#cures.notes], found: [] } };
  }

  #touches(flow: Flow, before: KnownClass): boolean {
    return this.#recall?.touches(flow, before) !== false;
  }

  /** What was answered before, where it is the same now. */
  #recalled(flow: Flow, before: KnownClass): KnownClass | undefined {
    const recall = this.#recall;
    const { views } = recall?.memory ?? {};
    if (recall === undefined || views === undefined || before.looked === undefined) return undefined;
    const isSame = recall.touches(flow, before)
      ? before.answer.verdict === "reachable" &&
        this.#sharing?.findsTheSame(flow, before.looked, recall.changed, views) === true
      : recall.isAnswerTo(flow, before, this.#cures);
    return isSame ? { ...before, first: flow } : undefined;
  }

  #walk(
    flow: Flow,
    make: (known: Pick<KnownClass, "first" | "answer">) => Open,
  ): { readonly opened: Open; readonly known: KnownClass } {
    const cameBy = new Set<string>();
    const cures = [...this.#cures.notes];
    const { inspected, answer } = notingStacks(cameBy, () => {
      const inspected = inspect(this.#askable, askedOf(flow), this.#world);
      return { inspected, answer: answerOf(inspected, this.#world, this.#cures) };
    });
    const found = this.#cures.notes.slice(cures.length);
    const opened = make({ first: flow, answer });
    const { question, exploration } = inspected;
    const looked: Looked | undefined =
      question === undefined
        ? undefined
        : this.#sharing?.learn(flow, question, exploration, opened, getsThrough(answer));
    if (looked !== undefined) this.#alike?.learn(flow, { answer, cameBy, looked });
    return { opened, known: { first: flow, answer, looked, cameBy, cures, found } };
  }
}
