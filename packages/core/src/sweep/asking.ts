import type { Askable } from "../diagnose/index.ts";
import type { World } from "../model/index.ts";
import { Cures } from "../remedy/index.ts";
import { notingStacks, notingWays, type Ways } from "../trace/index.ts";
import { type Answer, answerOf, inspect } from "./answer.ts";
import type { AlikeServices } from "./classes/alike.ts";
import { type Looked, type Met, Sharing } from "./classes/sharing.ts";
import type { KnownClass } from "./memory/memory.ts";
import { askedOf, type Flow } from "./plan.ts";
import type { Moves, Recall } from "./recall.ts";
import type { Views } from "./views/views.ts";

/** Nothing else is said of it. */
const getsThrough = ({ verdict }: Answer): boolean => verdict === "reachable";

/** Which part what is otherwise has in its flow; undefined: nobody knows whom it is like. */
const partIn = (moves: Moves | undefined): string | undefined =>
  moves?.how === "stays" ? "" : moves?.how === "along" ? moves.part : undefined;

/** The flows of one group, each answered by a class that is known, by what an earlier sweep took note of, or by a walk. */
export class Asking<Open> {
  readonly #askable: Askable;
  readonly #world: World;
  readonly #recall: Recall | undefined;
  readonly #sharing: Sharing<Open> | undefined;
  readonly #alike: AlikeServices | undefined;
  readonly #cures = new Cures();
  readonly #views: Views | undefined;
  /** Classes of before that are open by now, by the part that what is otherwise has in their flows. */
  readonly #kept = new Map<KnownClass, Map<string, Open>>();
  /** Classes that do not get through. */
  readonly #stopped = new Set<Open>();
  /** What a walk before looked at, and who goes its way: nothing is made of it until somebody has to be compared. */
  #untaught: (() => void)[] = [];
  /** Classes of flows of which nobody knows whom they are like now. */
  #strangers = 0;

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
    this.#views = views;
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
    const moves = this.#moves(flow, before);
    const part = partIn(moves);
    if (part !== undefined) {
      const kept = this.#kept.get(before!)?.get(part);
      // What does not get through any more is told apart by more than it was.
      const isKept = kept === undefined || !this.#stopped.has(kept) || !getsThrough(before!.answer);
      // Those that were apart, and are otherwise in the same way or not at all, are apart.
      if (isKept && (kept !== undefined || this.#strangers === 0)) return kept;
    }
    this.#teachAll();
    const found = this.#sharing?.find(flow);
    if (found !== undefined && part !== undefined) this.#keep(before!, part, found);
    return found;
  }

  /** The first of its class: its answer, and all that this rests on. `make` opens the class. */
  open(
    flow: Flow,
    before: KnownClass | undefined,
    make: (known: Pick<KnownClass, "first" | "answer">) => Open,
  ): { readonly opened: Open; readonly known: KnownClass; readonly walked: boolean } {
    const moves = this.#moves(flow, before);
    const part = partIn(moves);
    const recalled = before === undefined ? undefined : this.#recalled(flow, before, moves);
    if (part === undefined) this.#strangers++;
    if (recalled === undefined) {
      this.#teachAll();
      const told = this.#told(flow, make);
      const made = told === undefined ? { ...this.#walk(flow, make), walked: true } : { ...told, walked: false };
      if (!getsThrough(made.known.answer)) this.#stopped.add(made.opened);
      if (part !== undefined) this.#keep(before!, part, made.opened);
      return made;
    }
    const opened = make(recalled);
    if (!getsThrough(recalled.answer)) this.#stopped.add(opened);
    for (const noted of recalled.found) this.#cures.note(noted);
    const { looked } = recalled;
    if (looked !== undefined) {
      this.#untaught.push(() => this.#sharing?.teach(flow, looked, opened, getsThrough(recalled.answer)));
      // Whether it comes to be full is known when they are taught.
      if (this.#sharing?.mayBeFullWith(this.#untaught.length) !== false) this.#teachAll();
    }
    if (part !== undefined) this.#keep(before!, part, opened);
    return { opened, known: recalled, walked: false };
  }

  #keep(before: KnownClass, part: string, open: Open): void {
    const known = this.#kept.get(before);
    if (known === undefined) this.#kept.set(before, new Map([[part, open]]));
    else known.set(part, open);
  }

  #teachAll(): void {
    if (this.#untaught.length === 0) return;
    const all = this.#untaught;
    this.#untaught = [];
    for (const teach of all) teach();
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

  #moved: { readonly flow: Flow; readonly moves: Moves } | undefined;

  #moves(flow: Flow, before: KnownClass | undefined): Moves | undefined {
    if (before === undefined || this.#recall === undefined || this.#views === undefined) return undefined;
    if (this.#moved?.flow !== flow) this.#moved = { flow, moves: this.#recall.moves(flow, before, this.#views) };
    return this.#moved.moves;
  }

  /** What was answered before, where it is the same now. */
  #recalled(flow: Flow, before: KnownClass, moves: Moves | undefined): KnownClass | undefined {
    const recall = this.#recall;
    const { views } = recall?.memory ?? {};
    if (recall === undefined || views === undefined || moves === undefined || before.looked === undefined)
      return undefined;
    const findsTheSame = (): boolean =>
      before.answer.verdict === "reachable" &&
      this.#sharing?.findsTheSame(flow, before.looked!, recall.changed, views) === true;
    const isSame =
      moves.how === "apart" || (moves.how === "along" && moves.unanswered)
        ? findsTheSame()
        : recall.isAnswerTo(flow, before, this.#cures);
    return isSame ? { ...before, first: flow } : undefined;
  }

  #walk(
    flow: Flow,
    make: (known: Pick<KnownClass, "first" | "answer">) => Open,
  ): { readonly opened: Open; readonly known: KnownClass } {
    const cameBy = new Set<string>();
    const cures = [...this.#cures.notes];
    const tried: Ways = { stacks: new Set(), devices: new Map(), addresses: new Set(), ports: new Set() };
    const { inspected, answer } = notingStacks(cameBy, () => {
      const inspected = inspect(this.#askable, askedOf(flow), this.#world);
      const causes = () => notingWays(tried, inspected.causes);
      return { inspected, answer: answerOf({ ...inspected, causes }, this.#world, this.#cures) };
    });
    const found = this.#cures.notes.slice(cures.length);
    const opened = make({ first: flow, answer });
    const { question, exploration } = inspected;
    const looked: Looked | undefined =
      question === undefined
        ? undefined
        : this.#sharing?.learn(flow, question, exploration, opened, getsThrough(answer), tried);
    if (looked !== undefined) this.#alike?.learn(flow, { answer, cameBy, looked });
    return { opened, known: { first: flow, answer, looked, cameBy, cures, found } };
  }
}
