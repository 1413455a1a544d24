import type { World } from "../model/index.ts";
import { type Address, formatAddress } from "../net/index.ts";
import { Cures, type NotedCure } from "../remedy/index.ts";
import type { Answer } from "./answer.ts";
import { Deltas, isConcerned } from "./classes/delta.ts";
import type { Looked, Views } from "./classes/sharing.ts";
import type { Group, Source, Target } from "./flow.ts";
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

/** Who is of a class, and how it is called. */
export interface Members {
  readonly id: string;
  readonly nodes: Set<string | null>;
  readonly addresses: Set<Address>;
  readonly flows: number;
}

interface KnownGroup {
  readonly targets: readonly Target[];
  readonly flows: Flow[];
  readonly classes: KnownClass[];
  /** From here on what walks looked at was not kept. */
  fullAt: number | undefined;
}

/** What a sweep takes note of, flow by flow, so that the next one need not walk what is as it was. */
export class Memory {
  readonly #groups = new Map<string, KnownGroup>();
  readonly #members = new Map<KnownClass, Members>();
  #last: KnownGroup | undefined;
  views: Views | undefined;
  sources: readonly Source[] = [];
  done = false;

  note({ key, targets }: Group, flow: Flow, known: KnownClass, members: Members, isFull: boolean): void {
    let noted = this.#groups.get(key);
    if (noted === undefined) {
      noted = { targets, flows: [], classes: [], fullAt: undefined };
      this.#groups.set(key, noted);
    }
    this.#last = noted;
    if (!this.#members.has(known)) this.#members.set(known, members);
    noted.flows.push(flow);
    noted.classes.push(known);
    if (isFull) noted.fullAt ??= noted.flows.length - 1;
  }

  membersOf(known: KnownClass): Members {
    return this.#members.get(known)!;
  }

  /** All of a group; `later`: it is not asked to its end yet. Undefined: what walks looked at was not kept, or something else was asked. */
  allOf({ key, targets }: Group): Pick<KnownGroup, "flows" | "classes"> | "later" | undefined {
    const noted = this.#groups.get(key);
    if (!this.done && (noted === undefined || noted === this.#last)) return "later";
    if (noted === undefined || noted.fullAt !== undefined) return undefined;
    const isSame =
      targets.length === noted.targets.length && targets.every((t, i) => isSameTarget(t, noted.targets[i]!));
    return isSame ? noted : undefined;
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

const isSameTarget = (a: Target, b: Target): boolean =>
  a.address === b.address &&
  a.port === b.port &&
  a.protocol === b.protocol &&
  a.node === b.node &&
  a.name === b.name &&
  a.endpoints.size === b.endpoints.size &&
  [...a.endpoints].every((e) => b.endpoints.has(e));

export const isSameSource = (a: Source, b: Source): boolean =>
  a.kind === b.kind &&
  a.from === b.from &&
  a.node === b.node &&
  a.namespace === b.namespace &&
  a.addresses.length === b.addresses.length &&
  a.addresses.every((address, i) => address === b.addresses[i]);

/**
 * How a flow fares in the second World beside those of its class before. `stays`: all that it is compared by is as it was. `along`: some of that is not,
 * and is otherwise in the same way for all of its class that have the same part there. `apart`: nobody knows.
 */
export type Moves =
  | { readonly how: "stays" }
  | { readonly how: "along"; readonly part: string; readonly unanswered: boolean }
  | { readonly how: "apart" };

const STAYS: Moves = { how: "stays" };
const APART: Moves = { how: "apart" };

/** A class of before, or those of it that are otherwise in one way. */
export interface KeptClass extends Omit<Members, "id"> {
  readonly known: KnownClass;
  readonly first: Flow;
}

/** The same while its flows come in. */
interface Keeping {
  readonly known: KnownClass;
  readonly first: Flow;
  readonly flows: Flow[];
}

/** It says that nothing is wrong: what cures others is no matter to it. */
const isQuiet = ({ verdict, leaning, causes }: Answer): boolean =>
  verdict === "reachable" || (verdict === "undetermined" && leaning === "reachable" && causes.length === 0);

/** What of a class does not depend on which of its flows is looked at. */
interface OfClass {
  readonly touched: boolean;
  /** Stacks that are not as they were, and play no part by what they are; undefined: what is looked at there is not known. */
  readonly by: readonly string[] | undefined;
  readonly explicit: ReadonlySet<Address>;
}

/** What was answered in a World that differs from this one in some stacks, and in nothing that is found without coming by there. */
export class Recall {
  readonly memory: Memory;
  readonly changed: ReadonlySet<string>;
  readonly #moved: ReadonlySet<Address>;
  readonly #classes = new Map<KnownClass, OfClass>();
  #deltas: Deltas | undefined;

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
    return this.#isMoved(source, target) || this.#ofClass(known).touched;
  }

  #isMoved(source: Source, target: Target): boolean {
    return (
      this.#moved.size > 0 && (this.#moved.has(target.address) || source.addresses.some((a) => this.#moved.has(a)))
    );
  }

  /** `now`: how the second World is looked at. */
  moves(flow: Flow, known: KnownClass, now: Views): Moves {
    if (!this.touches(flow, known)) return STAYS;
    const { source, target } = flow;
    const { looked, answer } = known;
    const before = this.memory.views;
    if (before === undefined || looked?.carried === undefined || !isQuiet(answer) || this.#isMoved(source, target))
      return APART;
    const { by, explicit } = this.#ofClass(known);
    if (by === undefined) return APART;
    this.#deltas ??= new Deltas(before, now);
    const deltas = this.#deltas;
    const has = (a: Address): boolean =>
      explicit.has(a) ||
      a === target.address ||
      source.addresses.includes(a) ||
      deltas.isOf(source.node, a) ||
      deltas.isOf(target.node, a);
    const isApart = answer.verdict !== "reachable";
    let part = "";
    let unanswered = false;
    const roles = { N: source.node, M: target.node === source.node ? null : target.node };
    for (const [role, name] of [...by.map((n) => ["", n] as const), ...Object.entries(roles)]) {
      if (name === null || !this.changed.has(name)) continue;
      const delta = deltas.of(name, isApart);
      if (delta === undefined || isConcerned(delta, has)) return APART;
      if (delta.ports.size === 0) continue;
      // Nobody else in that part comes to be like it.
      if (role !== "" && !deltas.isLikeNone(name)) return APART;
      part += ` ${role}=${name}`;
      for (const port of delta.ports) unanswered ||= looked.ports.has(port);
    }
    return part === "" ? STAYS : { how: "along", part, unanswered };
  }

  /**
   * The classes of a group, where each of its flows keeps its answer, and which of them belong together is known without comparing any. Undefined: it is not
   * known.
   */
  keptIn({ flows, classes }: Pick<KnownGroup, "flows" | "classes">, now: Views): readonly KeptClass[] | undefined {
    const all: Keeping[] = [];
    const found = new Map<KnownClass, { readonly part: string; readonly kept: Keeping }[]>();
    for (const [i, flow] of flows.entries()) {
      const known = classes[i]!;
      const part = this.#partOf(flow, known, now);
      if (part === undefined) return undefined;
      let parts = found.get(known);
      if (parts === undefined) {
        parts = [];
        found.set(known, parts);
      }
      let kept = parts.find((p) => p.part === part)?.kept;
      if (kept === undefined) {
        // What cures others is no matter to those of whom nothing is wrong.
        if (!isQuiet(known.answer) || !this.isAnswerTo(flow, known, NO_CURES)) return undefined;
        kept = { known, first: flow, flows: [] };
        parts.push({ part, kept });
        all.push(kept);
      }
      kept.flows.push(flow);
    }
    return all.map(({ known, first, flows }) => {
      const { nodes, addresses, flows: before } = this.memory.membersOf(known);
      return {
        known,
        first,
        flows: flows.length,
        nodes: flows.length === before ? nodes : new Set(flows.map((f) => f.source.node)),
        addresses: flows.length === before ? addresses : new Set(flows.map((f) => f.target.address)),
      };
    });
  }

  /** The part that what is otherwise has in its flow; undefined: it may fare otherwise, or be like others. */
  #partOf(flow: Flow, known: KnownClass, now: Views): string | undefined {
    const moves = this.moves(flow, known, now);
    if (moves.how === "stays") return "";
    return moves.how === "along" && !moves.unanswered ? moves.part : undefined;
  }

  #ofClass(known: KnownClass): OfClass {
    let made = this.#classes.get(known);
    if (made === undefined) {
      made = this.#lookedAt(known);
      this.#classes.set(known, made);
    }
    return made;
  }

  #lookedAt({ looked, cameBy, first }: KnownClass): OfClass {
    const { changed } = this;
    if (looked === undefined) return { touched: true, by: undefined, explicit: NOBODY };
    const explicit = new Set<Address>();
    for (const c of looked.carried ?? []) if ("address" in c) explicit.add(c.address);
    const { views } = this.memory;
    const by = looked.stacks.filter((name) => changed.has(name));
    // Others of the class come by their own node where the first came by its.
    const met: string[] = [];
    for (const name of cameBy) if (changed.has(name)) met.push(name);
    const others = met.filter((n) => n !== first.source.node && n !== first.target.node);
    for (const address of explicit) {
      const owner = views?.stacks.ownerOf(address);
      if (owner !== undefined && changed.has(owner)) others.push(owner);
    }
    const touched = by.length > 0 || others.length > 0 || met.length > 0;
    return { touched, by: others.every((n) => by.includes(n)) ? by : undefined, explicit };
  }

  /**
   * Whether its answer is the answer to this flow, word for word: it names nobody who has a part, or it was given to this flow, when as much was known of
   * what cures others.
   */
  isAnswerTo(flow: Flow, known: KnownClass, { notes }: Cures): boolean {
    const { first, answer, cures } = known;
    if (answer.verdict === "reachable") return true;
    if (isQuiet(answer)) return isSameFlow(first, flow) || !this.#namesPlayers(known, flow);
    return isSameFlow(first, flow) && cures.length === notes.length && cures.every((n, i) => isSameCure(n, notes[i]!));
  }

  /** Whether facts are told of somebody who has a part, and another has it in this flow. */
  #namesPlayers({ first, answer }: KnownClass, flow: Flow): boolean {
    const cast = this.memory.views?.cast;
    if (cast === undefined) return true;
    const names = new Set<string>([first.source.from.replace(/^[^/]*\//, ""), formatAddress(first.target.address)]);
    for (const { stack, addresses } of cast.actorsOf(first).list) {
      if (stack !== undefined) names.add(stack.name);
      for (const address of addresses) names.add(formatAddress(address));
    }
    if (first.target.address === flow.target.address) names.delete(formatAddress(first.target.address));
    return answer.facts.some(({ fact, command }) => {
      for (const name of names) if (says(fact, name) || says(command ?? "", name)) return true;
      return false;
    });
  }
}

const NO_CURES = new Cures();

const WORD = /[\w.-]/;

/** Whether a name stands there by itself. */
function says(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!WORD.test(text[at - 1] ?? " ") && !WORD.test(text[at + name.length] ?? " ")) return true;
  return false;
}

const NOBODY: ReadonlySet<Address> = new Set();

const isSameCure = (a: NotedCure, b: NotedCure): boolean => {
  if (a === b) return true;
  if (a.why !== b.why || a.candidate === null || b.candidate === null)
    return a.why === b.why && a.candidate === b.candidate;
  const said = ({ code, commands }: NonNullable<NotedCure["candidate"]>): string => JSON.stringify([code, commands]);
  return said(a.candidate) === said(b.candidate);
};
