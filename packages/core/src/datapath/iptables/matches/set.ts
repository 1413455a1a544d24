import type { SetMatch } from "../../../model/index.ts";
import { hasCounters, matchCounters } from "../../ipset/ip-set-counter.ts";
import { ipSetElement, ipSetTest } from "../../ipset/ip-set-test.ts";
import { lengthOf } from "../../kernel/skb.ts";
import type { MatchAnswer, MatchContext } from "./index.ts";

/** Follows set_match_v3() (xt_set.c). What a set that nobody showed has counted, and what the members of a list have, is not decided. */
export function matchSet(c: MatchContext, m: SetMatch): MatchAnswer {
  const { kernel, skb, state } = c;
  const set = kernel.compiled.set(m.name);
  const answer = ipSetTest(kernel, m.name, set, skb, state, m.directions, m.returnNomatch);
  const tests = m.packets !== undefined || m.bytes !== undefined;
  if (tests && answer !== false && (answer !== true || set?.set.method === "list")) return "unknown";
  if (answer === true && set !== undefined && set.set.method !== "list" && hasCounters(set)) {
    const element = ipSetElement(kernel, set, skb, state, m.directions);
    if (element === undefined) return tests ? "unknown" : !m.negated;
    return { ask: () => matchCounters(kernel, set, element, m, lengthOf(skb)) !== m.negated, counts: true };
  }
  if (typeof answer === "boolean") return answer !== m.negated;
  return { ask: () => answer.ask() !== m.negated };
}
