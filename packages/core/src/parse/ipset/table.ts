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
  /** By the printed element; undefined marks one that was taken out. */
  readonly entries: Map<string, SetEntry>;
}

const networks = (set: IpSet): readonly boolean[] => set.dimensions.map((d) => d === "net");

/**
 * Sets while commands are applied to them. Adding is constant work; deleting walks the set only where ranges are held or
 * asked for.
 */
export class IpsetTable {
  readonly #held = new Map<string, Held>();
  readonly #extent: Extent;

  constructor(state: IpsetState) {
    this.#extent = state.extent;
    for (const set of state.sets) {
      const entries = new Map(set.entries.map((e) => [keyOf(set, e.parts), e]));
      this.#held.set(set.name, { set, extent: set.extent, entries });
    }
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
    this.#held.set(name, { set, extent, entries: new Map() });
    return undefined;
  }

  #add(name: string, words: IpsetWords, command: IpsetCommand): string | undefined {
    const held = this.#held.get(name) ?? this.#unseen(name, words, command);
    if (held === undefined) return `there is no set ${name}`;
    const { entry, problems } = parseEntry(words, held.set, held.set.family, command.origin);
    if (problems.length > 0) return problems[0]!.message;
    const reason = this.#fits(held, entry);
    if (reason !== undefined) return `${formatElement(entry.parts)} ${reason}`;
    for (const stored of normalise(held.set, entry)) {
      const key = keyOf(held.set, stored.parts);
      const known = held.entries.get(key);
      // A bitmap:ip,mac takes the MAC of an address that was added without one.
      const completes = known !== undefined && known.parts.length < stored.parts.length;
      if (known !== undefined && !completes && !command.exist) return `${key} is in the set already`;
      if (entry.position === undefined) held.entries.set(key, stored);
      else this.#place(held, key, stored);
    }
    return undefined;
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
    const held: Held = { set, extent: "partial", entries: new Map() };
    this.#held.set(name, held);
    return held;
  }

  #fits(held: Held, entry: SetEntry): string | undefined {
    const refused = refusal(held.set, entry);
    if (refused !== undefined) return refused;
    const member = entry.parts[0];
    if (member?.kind === "set" && this.#extent === "whole" && !this.#held.has(member.name)) return "is no set";
    if (entry.position !== undefined && !held.entries.has(entry.position.set)) {
      return `cannot stand ${entry.position.where} ${entry.position.set}, which is not in the set`;
    }
    const limit = held.set.options.find((o) => o.name === (held.set.method === "list" ? "size" : "maxelem"))?.value;
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
    let found = false;
    for (const hole of normalise(held.set, entry)) {
      if (held.entries.delete(keyOf(held.set, hole.parts))) found = true;
      else if (this.#cut(held, hole)) found = true;
    }
    if (found || command.exist || held.extent !== "whole") return undefined;
    return `${formatElement(entry.parts)} is not in the set`;
  }

  #cut(held: Held, hole: SetEntry): boolean {
    const which = networks(held.set);
    const kept: SetEntry[] = [];
    let found = false;
    for (const entry of held.entries.values()) {
      const left = without(entry, hole, which);
      kept.push(...(left ?? [entry]));
      if (left !== undefined) found = true;
    }
    if (!found) return false;
    held.entries.clear();
    for (const entry of kept) held.entries.set(keyOf(held.set, entry.parts), entry);
    return true;
  }

  #flush(name: string | undefined): string | undefined {
    if (name !== undefined && !this.#held.has(name)) return this.#missing(name);
    for (const held of this.#held.values()) {
      if (name !== undefined && held.set.name !== name) continue;
      held.entries.clear();
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
    for (const { set, entries } of this.#held.values()) {
      if (set.method === "list" && entries.has(name)) return `${name} is a member of ${set.name}`;
    }
    this.#held.delete(name);
    return undefined;
  }

  #rename(from: string, to: string): string | undefined {
    const held = this.#held.get(from);
    if (held === undefined) return this.#missing(from);
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
