import type { Branch, Leg } from "./branch.ts";

/** Steps that one answer shows. What -v says of the longest bundled walk is a twentieth of it. */
export const STEPS_SHOWN = 20_000;
/** Branches that are told one by one. */
const BRANCHES_SHOWN = 5_000;

/** Branches as they are shown, and how many more there are, whose shares are those of the last one shown. */
export interface Shortened {
  readonly branches: readonly Branch[];
  readonly leftOut: number;
}

/**
 * An answer that can be opened: hostile rules make walks of half a million steps. The first legs are shown whole, a leg that is
 * too long by its beginning and its end, and what is left out is counted.
 */
export function shorten(all: readonly Branch[], steps = STEPS_SHOWN, most = BRANCHES_SHOWN): Shortened {
  const branches = all.length > most ? all.slice(0, most) : all;
  const legsOf = (b: Branch): readonly Leg[] => [b.request, ...(b.reply === null ? [] : [b.reply]), ...b.data];
  const total = branches.reduce((n, b) => n + legsOf(b).reduce((m, l) => m + l.steps.length, 0), 0);
  if (total <= steps) return { branches, leftOut: all.length - branches.length };
  let left = steps;
  const cut = (leg: Leg): Leg => {
    const count = leg.steps.length;
    const room = Math.min(left, Math.ceil(steps / 2));
    if (count <= room) {
      left -= count;
      return leg;
    }
    left -= room;
    const [head, tail] = [Math.ceil(room / 2), Math.floor(room / 2)];
    const shown = tail === 0 ? leg.steps.slice(0, head) : [...leg.steps.slice(0, head), ...leg.steps.slice(-tail)];
    return { ...leg, steps: shown, leftOut: count - shown.length };
  };
  return {
    branches: branches.map((b) => ({
      ...b,
      request: cut(b.request),
      reply: b.reply === null ? null : cut(b.reply),
      data: b.data.map(cut),
    })),
    leftOut: all.length - branches.length,
  };
}
