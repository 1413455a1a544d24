import type { Rule } from "../../model/index.ts";
import type { Family } from "../../net/index.ts";
import { ruleKey } from "../../parse/iptables/rule/equal.ts";

/** Cells of the table that finds the common rules; beyond it the second excerpt is simply put behind the first. */
const MAX_CELLS = 4_000_000;

/**
 * Two excerpts of one chain (two greps, say) as one: the shortest list that holds both in their order. Rules that only
 * one excerpt has between two common ones keep that place.
 */
export function mergeExcerpts(a: readonly Rule[], b: readonly Rule[], family: Family): readonly Rule[] {
  if (b.length === 0) return a;
  if (a.length === 0) return b;
  const ka = a.map((r) => ruleKey(r, family));
  const kb = b.map((r) => ruleKey(r, family));
  if (a.length * b.length > MAX_CELLS) {
    const known = new Set(ka);
    return [...a, ...b.filter((_, i) => !known.has(kb[i]!))];
  }
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] =
        ka[i] === kb[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  const merged: Rule[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && ka[i] === kb[j]) {
      merged.push(a[i]!);
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) {
      merged.push(a[i++]!);
    } else merged.push(b[j++]!);
  }
  return merged;
}
