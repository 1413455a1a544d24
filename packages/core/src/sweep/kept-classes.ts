import type { Group } from "./flow.ts";
import type { NotedGroup } from "./memory.ts";
import { classId, countOf, type Open } from "./open-class.ts";

/** Some flows of one class, in their turns. */
interface Part {
  readonly of: Open;
  readonly part: string;
  readonly turns: number[];
}

/**
 * The classes of a group of which all flows keep their answer. `parts`: by their turns, flows that part from their class, and what those that stay together have in common. A class of which none does is as it was: where it
 * is called the same, it is the same record.
 */
export function keptClasses(group: Group, noted: NotedGroup, parts: ReadonlyMap<number, string>): readonly Open[] {
  const { classes, firsts, flows } = noted;
  const parted = parts.size === 0 ? undefined : partsOf(noted, parts);
  if (parted === undefined && classes.every((c, i) => c.id === classId(group, i))) return classes;
  const all: { readonly turn: number; readonly of: Open; readonly part?: Part; readonly others?: readonly Part[] }[] =
    [];
  for (const [i, of] of classes.entries()) {
    const own = parted?.[i];
    if (own === undefined) all.push({ turn: firsts[i]!, of });
    else for (const part of own) all.push({ turn: part.turns[0]!, of, part, others: own });
  }
  all.sort((a, b) => a.turn - b.turn);
  return all.map(({ turn, of, part, others = [] }, number): Open => {
    const id = classId(group, number);
    if (part === undefined && of.id === id) return of;
    const base = { ...of, id, number, told: undefined };
    if (part === undefined || part.turns.length === of.flows) return base;
    return {
      ...base,
      first: flows.at(turn),
      flows: part.turns.length,
      nodes: differentIn(part, others, countOf(of.nodes), (t) => flows.sourceAt(t).node),
      addresses: flows.targets.length === 1 ? 1 : new Set(part.turns.map((t) => flows.targetAt(t).address)).size,
    };
  });
}

/** By the numbers of classes, those that flows part from. */
function partsOf(
  { classes, classOf }: NotedGroup,
  parts: ReadonlyMap<number, string>,
): readonly (readonly Part[] | undefined)[] {
  const found: (Part[] | undefined)[] = classes.map(() => undefined);
  for (const turn of parts.keys()) found[classOf[turn]!] ??= [];
  for (const [turn, number] of classOf.entries()) {
    const own = found[number];
    if (own === undefined) continue;
    const part = parts.get(turn) ?? "";
    const known = own.find((p) => p.part === part);
    if (known === undefined) own.push({ of: classes[number]!, part, turns: [turn] });
    else known.turns.push(turn);
  }
  return found;
}

/** How many different ones there are in one part; of nearly all of a class those are counted that it lacks. */
function differentIn<Value>(part: Part, all: readonly Part[], inClass: number, told: (turn: number) => Value): number {
  const { turns, of } = part;
  if (turns.length * 2 < of.flows) return new Set(turns.map(told)).size;
  const lacking = new Set(all.flatMap((p) => (p === part ? [] : p.turns.map(told))));
  for (const turn of turns) if (lacking.delete(told(turn)) && lacking.size === 0) break;
  return inClass - lacking.size;
}
