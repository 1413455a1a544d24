import type { SetMatch } from "../../../model/index.ts";
import { ipSetTest } from "../../ipset/ip-set-test.ts";
import type { MatchAnswer, MatchContext } from "./index.ts";

/** Follows set_match_v4() (xt_set.c). Counter tests need the counters of a moment and are not decided. */
export function matchSet(c: MatchContext, m: SetMatch): MatchAnswer {
  if (m.packets !== undefined || m.bytes !== undefined) return "unknown";
  const set = c.kernel.compiled.set(m.name);
  const answer = ipSetTest(c.kernel, m.name, set, c.skb, c.state, m.directions, m.returnNomatch);
  if (typeof answer === "boolean") return answer !== m.negated;
  return { ask: () => answer.ask() !== m.negated };
}
