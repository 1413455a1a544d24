import type { Others } from "../../model/faults/question-fault.ts";

/** What is there instead of a name that is not: those that look like it first. */
export function others(name: string, known: readonly string[], most = 8): Others {
  if (known.length === 0) return { kind: "none" };
  const near = nearest(name, known);
  if (near.length > 0) return { kind: "near", names: near };
  return { kind: "some", names: known.slice(0, most), more: Math.max(0, known.length - most) };
}

/** Names that differ in a slip of the finger, or of which it is a part. */
export function nearest(name: string, known: readonly string[]): readonly string[] {
  const query = name.toLowerCase();
  const last = (n: string): string => n.slice(n.lastIndexOf("/") + 1);
  const close = known.filter((n) => {
    const other = n.toLowerCase();
    return differsLittle(query, other) || differsLittle(last(query), last(other));
  });
  const part = known.filter((n) => last(query).length >= 3 && last(n.toLowerCase()).includes(last(query)));
  return (close.length > 0 ? close : part).slice(0, 3);
}

/** Names are short; longer ones are no slip. */
const MAX_LENGTH = 64;

/** At most two letters put in, left out, swapped or taken for others, and at most a third of the shorter. */
function differsLittle(a: string, b: string): boolean {
  const most = Math.min(2, Math.floor(Math.min(a.length, b.length) / 3));
  if (a === b) return true;
  if (most === 0 || Math.abs(a.length - b.length) > most || a.length > MAX_LENGTH || b.length > MAX_LENGTH)
    return false;
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const other = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : Infinity;
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + other, swapped));
    }
    before = row;
    row = next;
  }
  return row[b.length]! <= most;
}
