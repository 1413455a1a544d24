import type { Repair } from "./state.ts";

const MINUTE = 60_000;
/** So many repairs of one thing within this time are no accident: somebody else owns the place and takes it out. */
const OFTEN = 3;
const WITHIN = 5 * MINUTE;
const LONGEST = 60 * MINUTE;

/** How often in a row one thing had to be put back, no two further apart than twice the longest wait. */
function inARow(repairs: readonly Repair[], command: string): readonly Repair[] {
  const own = repairs.filter((r) => r.command === command);
  let from = own.length;
  while (from > 0) {
    const later = own[from];
    const earlier = own[from - 1]!;
    if (later !== undefined && later.time - earlier.time > 2 * LONGEST) break;
    from--;
  }
  return own.slice(from);
}

/** When this may be put back again; 0: now. The wait doubles from a minute to an hour while somebody keeps taking it out. */
export function notBefore(repairs: readonly Repair[], command: string): number {
  const row = inARow(repairs, command);
  const last = row[row.length - 1];
  const third = row[row.length - OFTEN];
  if (last === undefined || third === undefined) return 0;
  const excess = row.length - OFTEN;
  // The first time it shows by pace alone; after that the waits themselves space the repairs out.
  if (excess === 0 && last.time - third.time > WITHIN) return 0;
  return last.time + Math.min(LONGEST, MINUTE * 2 ** Math.min(excess, 10));
}

export const isContested = (repairs: readonly Repair[], command: string, now: number): boolean =>
  notBefore(repairs, command) > now;
