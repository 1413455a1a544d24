import type { World } from "../model/index.ts";
import type { Address } from "../net/index.ts";
import type { Cures, NotedCure } from "../remedy/index.ts";
import type { Answer } from "./answer.ts";
import type { Looked, Views } from "./classes/sharing.ts";
import type { Flow } from "./plan.ts";
import { addressesOf } from "./sources.ts";

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

interface KnownGroup {
  readonly flows: Flow[];
  readonly classes: KnownClass[];
  /** From here on what walks looked at was not kept. */
  fullAt: number | undefined;
}

/** What a sweep takes note of, flow by flow, so that the next one need not walk what is as it was. */
export class Memory {
  readonly #groups = new Map<string, KnownGroup>();
  views: Views | undefined;
  done = false;

  note(group: string, flow: Flow, known: KnownClass, isFull: boolean): void {
    let noted = this.#groups.get(group);
    if (noted === undefined) {
      noted = { flows: [], classes: [], fullAt: undefined };
      this.#groups.set(group, noted);
    }
    noted.flows.push(flow);
    noted.classes.push(known);
    if (isFull) noted.fullAt ??= noted.flows.length - 1;
  }

  /** The class of the flow that was asked in this turn; `later`: it is not asked yet. */
  at(group: string, turn: number, flow: Flow): KnownClass | "later" | undefined {
    const noted = this.#groups.get(group);
    const before = noted?.flows[turn];
    if (before === undefined) return this.done ? undefined : "later";
    if (noted!.fullAt !== undefined && turn >= noted!.fullAt) return undefined;
    return isSameFlow(before, flow) ? noted!.classes[turn] : undefined;
  }
}

export const isSameFlow = (a: Flow, b: Flow): boolean =>
  a.target.address === b.target.address &&
  a.target.port === b.target.port &&
  a.target.protocol === b.target.protocol &&
  a.source.from === b.source.from &&
  a.source.node === b.source.node &&
  a.source.kind === b.source.kind;

/** What was answered in a World that differs from this one in some stacks, and in nothing that is found without coming by there. */
export class Recall {
  readonly memory: Memory;
  readonly changed: ReadonlySet<string>;
  readonly #moved: ReadonlySet<Address>;
  readonly #touched = new Map<KnownClass, boolean>();

  constructor(memory: Memory, changed: ReadonlySet<string>, { stacks }: World) {
    this.memory = memory;
    this.changed = changed;
    this.#moved = new Set(
      stacks.filter((s) => s.kind !== "node" && changed.has(s.name)).flatMap((s) => addressesOf(s)),
    );
  }

  /** Whether the flow may come by one of these stacks, or be told by one. */
  touches({ source, target }: Flow, known: KnownClass): boolean {
    const { changed } = this;
    if (changed.size === 0) return false;
    if ((source.node !== null && changed.has(source.node)) || (target.node !== null && changed.has(target.node)))
      return true;
    if (this.#moved.size > 0 && (this.#moved.has(target.address) || source.addresses.some((a) => this.#moved.has(a))))
      return true;
    let touched = this.#touched.get(known);
    if (touched === undefined) {
      touched = this.#isTouched(known);
      this.#touched.set(known, touched);
    }
    return touched;
  }

  #isTouched({ looked, cameBy }: KnownClass): boolean {
    if (looked === undefined) return true;
    const names = [...looked.stacks, ...cameBy];
    if (names.some((name) => this.changed.has(name))) return true;
    const { views } = this.memory;
    return (looked.carried ?? []).some((c) => {
      const owner = "address" in c ? views?.stacks.ownerOf(c.address) : undefined;
      return owner !== undefined && this.changed.has(owner);
    });
  }

  /**
   * Whether its answer is the answer to this flow, word for word: it names nobody, or it was given to this flow, when as much was known of what cures
   * others.
   */
  isAnswerTo(flow: Flow, { first, answer, cures }: KnownClass, { notes }: Cures): boolean {
    if (answer.verdict === "reachable") return true;
    return isSameFlow(first, flow) && cures.length === notes.length && cures.every((n, i) => isSameCure(n, notes[i]!));
  }
}

const isSameCure = (a: NotedCure, b: NotedCure): boolean => {
  if (a === b) return true;
  if (a.why !== b.why || a.candidate === null || b.candidate === null)
    return a.why === b.why && a.candidate === b.candidate;
  const said = ({ code, commands }: NonNullable<NotedCure["candidate"]>): string => JSON.stringify([code, commands]);
  return said(a.candidate) === said(b.candidate);
};
