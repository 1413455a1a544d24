import type { Extent, IpSet, SetEntry } from "../../model/index.ts";
import { sizeOf, without } from "./boxes.ts";
import type { IpsetCommand, IpsetOperation } from "./command.ts";
import { formatElement, keyOf } from "./element.ts";
import { parseEntry } from "./entry.ts";
import { inferType } from "./infer.ts";
import { normalise, refusal } from "./normalise.ts";

/** All the sets of a stack, and whether that is all of them. */
export interface IpsetState {
  readonly sets: readonly IpSet[];
  readonly extent: Extent;
}

/** What ipset would have answered to a command that changes nothing. */
export interface Refused {
  readonly command: IpsetCommand;
  readonly reason: string;
}

interface Held {
  set: IpSet;
  extent: Extent;
  readonly entries: Map<string, SetEntry>;
  /** Keys of entries that stand for several elements. */
  readonly ranges: Set<string>;
}

const networks = (set: IpSet): readonly boolean[] => set.dimensions.map((d) => d === "net");
const isRange = (set: IpSet, entry: SetEntry): boolean => sizeOf(entry, networks(set)) > 1;
/** Comparisons of entries with ranges that all commands together may cost. */
const BUDGET = 3_000_000;
/** Networks that ranges of all commands together may be cut into. */
const NETWORKS = 100_000;

function hold(set: IpSet, entries: readonly SetEntry[]): Held {
  const held: Held = { set, extent: set.extent, entries: new Map(), ranges: new Set() };
  for (const entry of entries) store(held, entry);
  return held;
}

function store(held: Held, entry: SetEntry): void {
  const key = keyOf(held.set, entry.parts);
  held.entries.set(key, entry);
  if (isRange(held.set, entry)) held.ranges.add(key);
}

function drop(held: Held, key: string): boolean {
  held.ranges.delete(key);
  return held.entries.delete(key);
}

/**
 * Sets while commands are applied to them. What the kernel stores as many elements stays one range here. Adding and
 * deleting one element is constant work but for the ranges held; a range is compared with the whole set, as long as the
 * budget lasts.
 */
export class IpsetTable {
  readonly #held = new Map<string, Held>();
  readonly #extent: Extent;
  #budget = BUDGET;
  #networks = NETWORKS;

  constructor(state: IpsetState) {
    this.#extent = state.extent;
    for (const set of state.sets) this.#held.set(set.name, hold(set, set.entries));
  }

  get state(): IpsetState {
    const sets = [...this.#held.values()].map(({ set, extent, entries }) => ({
      ...set,
      extent,
      entries: [...entries.values()],
    }));
    return { sets, extent: this.#extent };
  }

  /** Applies one command; says why not where ipset would refuse it. */
  apply(command: IpsetCommand): string | undefined {
    const { operation } = command;
    switch (operation.kind) {
      case "create":
        return this.#create(operation, command);
      case "add":
        return this.#add(operation.set, operation.words, command);
      case "del":
        return this.#del(operation.set, operation.words, command);
      case "test":
        return undefined;
      case "flush":
        return this.#flush(operation.set);
      case "destroy":
        return this.#destroy(operation.set);
      case "rename":
        return this.#rename(operation.set, operation.other);
      case "swap":
        return this.#swap(operation.set, operation.other);
    }
  }

  /** A set that was not shown is missing only if all were. */
  #missing(name: string): string | undefined {
    return this.#extent === "whole" ? `there is no set ${name}` : undefined;
  }

  #create(operation: IpsetOperation & { kind: "create" }, command: IpsetCommand): string | undefined {
    const { set: name, type, family, options } = operation;
    if (this.#held.has(name)) return command.exist ? undefined : `a set ${name} exists already`;
    const set: IpSet = { name, ...type, family, options, entries: [], extent: "whole", origin: command.origin };
    // `create -exist` may have found the set there, with members that were not shown.
    const extent = command.exist && this.#extent !== "whole" ? "partial" : "whole";
    this.#held.set(name, hold({ ...set, extent }, []));
    return undefined;
  }

  #add(name: string, words: IpsetWords, command: IpsetCommand): string | undefined {
    const held = this.#held.get(name) ?? this.#unseen(name, words, command);
    if (held === undefined) return `there is no set ${name}`;
    const { entry, problems } = parseEntry(words, held.set, held.set.family, command.origin);
    if (problems.length > 0) return problems[0]!.message;
    const reason = this.#fits(held, entry);
    if (reason !== undefined) return `${formatElement(entry.parts)} ${reason}`;
    const elements = normalise(held.set, entry);
    if (elements.length > 1) this.#networks -= elements.length;
    if (this.#networks < 0) return "the ranges make too many networks to keep";
    if (!command.exist) {
      const known = elements.find((stored) => this.#holds(held, stored));
      if (known !== undefined) return `${formatElement(known.parts)} is in the set already`;
    }
    for (const stored of elements) {
      if (command.exist) this.#cut(held, stored);
      if (entry.position === undefined) store(held, stored);
      else this.#place(held, keyOf(held.set, stored.parts), stored);
    }
    return undefined;
  }

  #holds(held: Held, entry: SetEntry): boolean {
    const known = held.entries.get(keyOf(held.set, entry.parts));
    // A bitmap:ip,mac takes the MAC of an address that was added without one.
    if (known !== undefined) return known.parts.length >= entry.parts.length;
    return (this.#overlapping(held, entry)?.length ?? 0) > 0;
  }

  /** The keys of entries that share elements with this one; undefined where it would cost too much to know. */
  #overlapping(held: Held, entry: SetEntry): readonly string[] | undefined {
    const which = networks(held.set);
    const candidates = isRange(held.set, entry) ? held.entries : held.ranges;
    this.#budget -= candidates.size;
    if (this.#budget < 0) return undefined;
    return [...candidates.keys()].filter((key) => without(held.entries.get(key)!, entry, which) !== undefined);
  }

  /** A set that nobody showed may still be there if not all sets were shown. */
  #unseen(name: string, words: IpsetWords, command: IpsetCommand): Held | undefined {
    const shape = this.#extent === "whole" ? undefined : inferType(words[0]?.text ?? "");
    if (shape === undefined) return undefined;
    const { type, family } = shape;
    const set: IpSet = {
      name,
      ...type,
      family,
      options: [],
      entries: [],
      extent: "partial",
      inferredType: true,
      origin: command.origin,
    };
    const held = hold(set, []);
    this.#held.set(name, held);
    return held;
  }

  #fits(held: Held, entry: SetEntry): string | undefined {
    const refused = refusal(held.set, entry);
    if (refused !== undefined) return refused;
    const member = entry.parts[0];
    if (member?.kind === "set") {
      const inner = this.#held.get(member.name);
      if (inner === undefined && this.#extent === "whole") return "is no set";
      if (inner?.set.method === "list") return "is a list of sets itself";
    }
    if (entry.position !== undefined && !held.entries.has(entry.position.set)) {
      return `cannot stand ${entry.position.where} ${entry.position.set}, which is not in the set`;
    }
    const limit = held.set.options.find((o) => o.name === "maxelem")?.value;
    const full = limit !== undefined && held.set.options.every((o) => o.name !== "forceadd");
    if (full && held.entries.size + sizeOf(entry, networks(held.set)) > Number(limit)) {
      return held.entries.has(keyOf(held.set, entry.parts)) ? undefined : "finds the set full";
    }
    return undefined;
  }

  #place(held: Held, key: string, entry: SetEntry): void {
    const { where, set } = entry.position!;
    const { position: _, ...stored } = entry;
    const rest = [...held.entries].filter(([k]) => k !== key);
    const at = rest.findIndex(([k]) => k === set) + (where === "after" ? 1 : 0);
    rest.splice(at, 0, [key, stored]);
    held.entries.clear();
    for (const [k, e] of rest) held.entries.set(k, e);
  }

  #del(name: string, words: IpsetWords, command: IpsetCommand): string | undefined {
    const held = this.#held.get(name);
    if (held === undefined) return this.#missing(name);
    const { entry, problems } = parseEntry(words, held.set, held.set.family, command.origin);
    if (problems.length > 0) return problems[0]!.message;
    const reason = this.#fits(held, entry);
    if (reason !== undefined) return `${formatElement(entry.parts)} ${reason}`;
    let found = false;
    for (const hole of normalise(held.set, entry)) {
      const cut = this.#cut(held, hole);
      if (cut === undefined) return "there are too many ranges to tell what is left";
      found = cut || found;
    }
    if (found || command.exist || held.extent !== "whole") return undefined;
    return `${formatElement(entry.parts)} is not in the set`;
  }

  /** Takes out these elements; what is left of a range stays. */
  #cut(held: Held, hole: SetEntry): boolean | undefined {
    if (drop(held, keyOf(held.set, hole.parts))) return true;
    const keys = this.#overlapping(held, hole);
    if (keys === undefined) return undefined;
    for (const key of keys) {
      const left = without(held.entries.get(key)!, hole, networks(held.set))!;
      drop(held, key);
      for (const entry of left) store(held, entry);
    }
    return keys.length > 0;
  }

  #flush(name: string | undefined): string | undefined {
    if (name !== undefined && !this.#held.has(name)) return this.#missing(name);
    for (const held of this.#held.values()) {
      if (name !== undefined && held.set.name !== name) continue;
      held.entries.clear();
      held.ranges.clear();
      held.extent = "whole";
    }
    return undefined;
  }

  #destroy(name: string | undefined): string | undefined {
    if (name === undefined) {
      this.#held.clear();
      return undefined;
    }
    if (!this.#held.has(name)) return this.#missing(name);
    const user = this.#listWith(name);
    if (user !== undefined) return `${name} is a member of ${user}`;
    this.#held.delete(name);
    return undefined;
  }

  #listWith(name: string): string | undefined {
    for (const { set, entries } of this.#held.values()) if (set.method === "list" && entries.has(name)) return set.name;
    return undefined;
  }

  #rename(from: string, to: string): string | undefined {
    const held = this.#held.get(from);
    if (held === undefined) return this.#missing(from);
    const user = this.#listWith(from);
    if (user !== undefined) return `${from} is a member of ${user}`;
    if (this.#held.has(to)) return `a set ${to} exists already`;
    const all = [...this.#held.values()];
    held.set = { ...held.set, name: to };
    this.#held.clear();
    for (const h of all) this.#held.set(h.set.name, h);
    return undefined;
  }

  #swap(a: string, b: string): string | undefined {
    const [one, other] = [this.#held.get(a), this.#held.get(b)];
    if (one === undefined || other === undefined) return this.#missing(one === undefined ? a : b);
    if (one.set.method !== other.set.method || one.set.dimensions.join() !== other.set.dimensions.join()) {
      return `${a} and ${b} are of different types`;
    }
    const all = [...this.#held.values()];
    [one.set, other.set] = [
      { ...one.set, name: b },
      { ...other.set, name: a },
    ];
    this.#held.clear();
    for (const h of all) this.#held.set(h.set.name, h);
    return undefined;
  }
}

type IpsetWords = Extract<IpsetOperation, { readonly words: unknown }>["words"];

/** The sets after these commands, and which of them ipset would have refused. */
export function applyIpset(
  state: IpsetState,
  commands: readonly IpsetCommand[],
): { readonly state: IpsetState; readonly refused: readonly Refused[] } {
  const table = new IpsetTable(state);
  const refused: Refused[] = [];
  for (const command of commands) {
    const reason = table.apply(command);
    if (reason !== undefined) refused.push({ command, reason });
  }
  return { state: table.state, refused };
}
