import type { Address } from "../../net/index.ts";
import type { Group } from "../flow.ts";
import { classId, countOf, type Open } from "../open-class.ts";
import type { NotedGroup } from "./memory.ts";

/** Some flows of one class. */
interface Part {
  readonly of: Open;
  /** The turn of the first of them. */
  readonly first: number;
  readonly flows: number;
  readonly nodes: number;
  readonly addresses: number;
}

/** A class from which some flows part. */
interface Parting {
  readonly of: Open;
  /** Their turns, which ascend, by what those that stay together have in common. */
  readonly turns: Map<string, number[]>;
  /** Those that stay. */
  rest: number;
  /** The first of these; negative: there is none. */
  first: number;
  /** What none of those that stay has: of many flows this is looked for, and not what they have. */
  readonly nodes: Set<string | null>;
  readonly addresses: Set<Address>;
}

/**
 * The classes of a group of which all flows keep their answer. `parts`: by their turns, which ascend, flows that part from their class, and what those that
 * stay together have in common. A class from which none does is as it was: where it is called the same, it is the same record.
 */
export function keptClasses(group: Group, noted: NotedGroup, parts: ReadonlyMap<number, string>): readonly Open[] {
  const { classes, firsts, flows } = noted;
  if (parts.size === 0 && classes.every((c, i) => c.id === classId(group, i))) return classes;
  const partings = partingOf(noted, parts);
  const all = classes.flatMap((of, number): readonly Part[] => {
    const parting = partings[number];
    if (parting !== undefined) return partsOf(noted, parting);
    return [
      { of, first: firsts[number]!, flows: of.flows, nodes: countOf(of.nodes), addresses: countOf(of.addresses) },
    ];
  });
  return all
    .sort((a, b) => a.first - b.first)
    .map(({ of, first, ...counts }, number): Open => {
      const id = classId(group, number);
      if (counts.flows === of.flows && of.id === id) return of;
      return {
        ...of,
        id,
        number,
        told: undefined,
        first: counts.flows === of.flows ? of.first : flows.at(first),
        ...counts,
      };
    });
}

/** By the numbers of classes. */
function partingOf(
  { classes, classOf, flows }: NotedGroup,
  parts: ReadonlyMap<number, string>,
): readonly (Parting | undefined)[] {
  const found: (Parting | undefined)[] = classes.map(() => undefined);
  for (const [turn, part] of parts) {
    const number = classOf[turn]!;
    const of = classes[number]!;
    found[number] ??= { of, turns: new Map(), rest: of.flows, first: -1, nodes: new Set(), addresses: new Set() };
    const parting = found[number];
    const turns = parting.turns.get(part);
    if (turns === undefined) parting.turns.set(part, [turn]);
    else turns.push(turn);
    parting.rest--;
    parting.nodes.add(flows.sourceAt(turn).node);
    parting.addresses.add(flows.targetAt(turn).address);
  }
  if (parts.size === 0) return found;
  for (let turn = 0; turn < classOf.length; turn++) {
    const parting = found[classOf[turn]!];
    if (parting === undefined || parting.rest === 0 || parts.has(turn)) continue;
    if (parting.first < 0) parting.first = turn;
    if (parting.nodes.size > 0) parting.nodes.delete(flows.sourceAt(turn).node);
    if (parting.addresses.size > 0) parting.addresses.delete(flows.targetAt(turn).address);
  }
  return found;
}

function partsOf({ flows }: NotedGroup, { of, turns, rest, first, nodes, addresses }: Parting): readonly Part[] {
  const made = [...turns.values()].map((own): Part => {
    const nodesOfOwn = new Set(own.map((turn) => flows.sourceAt(turn).node));
    const addressesOfOwn = new Set(own.map((turn) => flows.targetAt(turn).address));
    return { of, first: own[0]!, flows: own.length, nodes: nodesOfOwn.size, addresses: addressesOfOwn.size };
  });
  if (rest === 0) return made;
  const counts = { nodes: countOf(of.nodes) - nodes.size, addresses: countOf(of.addresses) - addresses.size };
  return [...made, { of, first, flows: rest, ...counts }];
}
