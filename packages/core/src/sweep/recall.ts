import type { World } from "../model/index.ts";
import { type Address, formatAddress } from "../net/index.ts";
import { Cures, type NotedCure } from "../remedy/index.ts";
import type { Answer } from "./answer.ts";
import { Deltas, isConcerned } from "./classes/delta.ts";
import type { Group, Source, Target } from "./flow.ts";
import { keptClasses } from "./memory/kept-classes.ts";
import { isSameFlow, type KnownClass, type Memory, type NotedGroup } from "./memory/memory.ts";
import type { Open } from "./open-class.ts";
import type { Flow } from "./plan.ts";
import { addressesOf } from "./sources.ts";
import type { Views } from "./views/views.ts";

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

/** It says that nothing is wrong: what cures others is no matter to it. */
const isQuiet = ({ verdict, leaning, causes }: Answer): boolean =>
  verdict === "reachable" || (verdict === "undetermined" && leaning === "reachable" && causes.length === 0);

/** What of a class does not depend on which of its flows is looked at. */
interface OfClass {
  readonly touched: boolean;
  /** Stacks that are not as they were, and play no part by what they are; undefined: what is looked at there is not known. */
  readonly by: readonly string[] | undefined;
}

/** What was answered in a World that differs from this one in some stacks, and in nothing that is found without coming by there. */
export class Recall {
  readonly memory: Memory;
  readonly changed: ReadonlySet<string>;
  readonly #moved: ReadonlySet<Address>;
  readonly #classes = new Map<KnownClass, OfClass>();
  readonly #stands: boolean[] = [];
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
    const { by } = this.#ofClass(known);
    if (by === undefined) return APART;
    const { carried } = looked;
    this.#deltas ??= new Deltas(before, now);
    const deltas = this.#deltas;
    const has = (a: Address): boolean =>
      carried.some((c) => "address" in c && c.address === a) ||
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
  keptIn(group: Group, noted: NotedGroup, now: Views): readonly Open[] | undefined {
    const { flows, classes, classOf } = noted;
    // What cures others is no matter to those of whom nothing is wrong.
    if (!classes.every(({ answer }) => isQuiet(answer))) return undefined;
    const parts = new Map<number, string>();
    for (const turn of this.#touchedIn(noted)) {
      const part = this.#partOf(flows.at(turn), classes[classOf[turn]!]!.known!, now);
      if (part === undefined) return undefined;
      if (part !== "") parts.set(turn, part);
    }
    const kept = keptClasses(group, noted, parts);
    const isAnswered = ({ first, known }: Open): boolean =>
      first === known!.first || this.isAnswerTo(first, known!, NO_CURES);
    return kept.every(isAnswered) ? kept : undefined;
  }

  /** The turns of a group in which a flow may come by one of these stacks, or be told by one. */
  #touchedIn({ flows, classes, classOf }: NotedGroup): readonly number[] {
    const { changed } = this;
    if (changed.size === 0) return [];
    const [target, another] = flows.targets;
    const found: number[] = [];
    if (another !== undefined || this.#moved.size > 0 || (target?.node != null && changed.has(target.node))) {
      for (const [turn, number] of classOf.entries())
        if (this.touches(flows.at(turn), classes[number]!.known!)) found.push(turn);
      return found;
    }
    // Beside what its class came by, all that matters is where somebody stands.
    const isTouched = classes.map(({ known }) => this.#ofClass(known!).touched);
    const stands = this.#standing(flows.sources);
    const { askers } = flows;
    for (let turn = 0; turn < askers.length; turn++)
      if (stands[askers[turn]!]! || isTouched[classOf[turn]!]!) found.push(turn);
    return found;
  }

  /** Who stands on a node that is not as it was. */
  #standing({ list }: NotedGroup["flows"]["sources"]): readonly boolean[] {
    for (let i = this.#stands.length; i < list.length; i++) {
      const { node } = list[i]!;
      this.#stands.push(node !== null && this.changed.has(node));
    }
    return this.#stands;
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
    if (looked === undefined) return { touched: true, by: undefined };
    const { views } = this.memory;
    const by = looked.stacks.filter((name) => changed.has(name));
    const met: string[] = [];
    for (const name of cameBy) if (changed.has(name)) met.push(name);
    // Others of the class come by their own node where the first came by its.
    const others = met.filter((n) => n !== first.source.node && n !== first.target.node);
    for (const c of looked.carried ?? []) {
      const owner = "address" in c ? views?.stacks.ownerOf(c.address) : undefined;
      if (owner !== undefined && changed.has(owner)) others.push(owner);
    }
    if (by.length === 0 && others.length === 0 && met.length === 0) return UNTOUCHED;
    return { touched: true, by: others.every((n) => by.includes(n)) ? by : undefined };
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

const UNTOUCHED: OfClass = { touched: false, by: [] };

const NO_CURES = new Cures();

const WORD = /[\w.-]/;

/** Whether a name stands there by itself. */
function says(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!WORD.test(text[at - 1] ?? " ") && !WORD.test(text[at + name.length] ?? " ")) return true;
  return false;
}

const isSameCure = (a: NotedCure, b: NotedCure): boolean => {
  if (a === b) return true;
  if (a.why !== b.why || a.candidate === null || b.candidate === null)
    return a.why === b.why && a.candidate === b.candidate;
  const said = ({ code, commands }: NonNullable<NotedCure["candidate"]>): string => JSON.stringify([code, commands]);
  return said(a.candidate) === said(b.candidate);
};
