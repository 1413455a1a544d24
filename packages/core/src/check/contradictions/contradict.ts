import type { Text } from "../../messages/index.ts";
import type { Origin } from "../../model/index.ts";
import type { StackView } from "../view.ts";

/** A contradiction before its lines are quoted. */
export interface Claimed {
  readonly code: string;
  readonly text: Text;
  readonly origins: readonly Origin[];
}

/** A way dumps can contradict each other: one function over what was read of one namespace. */
export type Check = (view: StackView) => readonly Claimed[];

/** Groups by a name, keeping the order of first appearance. */
export function groupBy<T>(
  items: readonly T[],
  key: (item: T) => string | undefined,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const k = key(item);
    if (k === undefined) continue;
    const group = groups.get(k);
    if (group === undefined) groups.set(k, [item]);
    else group.push(item);
  }
  return groups;
}
