import type { MatchAnswer, MatchContext } from "./index.ts";
import type { Option } from "./options.ts";

/** Whoever asks does so later than this. */
const BEFORE_NOW = "2026-01-01";
/** The last second that the match knows. */
const EVER = "2038-01-19";

/** Follows time_mt() (xt_time.c), as far as every moment from now on is alike: what has run out, and what leaves no moment out. */
export function matchTime(_: MatchContext, options: readonly Option[]): MatchAnswer {
  const value = (name: string): string | undefined => options.find((o) => o.name === name)?.value;
  const [from, to] = [value("--datestart"), value("--datestop")];
  if (to !== undefined && to < BEFORE_NOW) return false;
  const begun = from === undefined || from < BEFORE_NOW;
  const ends = to !== undefined && !to.startsWith(EVER);
  const daily = options.some((o) => o.name !== "--kerneltz" && !o.name.startsWith("--date"));
  return begun && !ends && !daily ? true : "unknown";
}
