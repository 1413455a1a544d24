import { largest } from "@hairpin/core/net/append.ts";
import type { BranchView, LegView } from "./leg.ts";

/** Branches that go the same way to the same end: drawn once, and what tells them apart listed. */
export interface Alike {
  readonly first: BranchView;
  readonly all: readonly BranchView[];
  /** Of the connections; branches under other values of an open fact are no parts of one whole. */
  readonly share: number;
}

export function alikeBranches(views: readonly BranchView[]): readonly Alike[] {
  const groups = new Map<string, BranchView[]>();
  for (const view of views) {
    const shape = shapeOf(view);
    const group = groups.get(shape);
    if (group === undefined) groups.set(shape, [view]);
    else group.push(view);
  }
  return [...groups.values()].map((all) => ({ first: all[0]!, all, share: shareOf(all) }));
}

/** Shares add up within one hypothesis; of several the largest says how often it can be. */
function shareOf(all: readonly BranchView[]): number {
  const sums = new Map<string, number>();
  for (const { hypothesis, share } of all) {
    const key = JSON.stringify(hypothesis);
    sums.set(key, (sums.get(key) ?? 0) + share);
  }
  return largest(0, sums.values());
}

/** What a branch looks like, whoever its stacks and addresses are. */
function shapeOf({ clientSees, legs }: BranchView): string {
  const names = new Map<string, number>();
  const number = (name: string): string => {
    if (!names.has(name)) names.set(name, names.size);
    return `#${names.get(name)}`;
  };
  const unnamed = (words: string): string => words.replace(ADDRESS, number);
  const leg = ({ direction, disposition, drop, rows }: LegView): unknown => [
    direction,
    disposition,
    drop,
    rows.map((row) =>
      row.type === "crossing"
        ? [number(row.from), number(row.to)]
        : [number(row.stack), row.mood, unnamed(row.title), row.mood === "dead" ? row.notes.map(unnamed) : []],
    ),
  ];
  return JSON.stringify([clientSees, legs.map(leg)]);
}

const ADDRESS = /\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}/gi;
