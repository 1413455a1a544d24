import { factId } from "../../model/index.ts";
import { parseAddress } from "../../net/index.ts";
import { type DecisiveFact, judge, placesOf, placeText, resolveQuestion, trace } from "../../trace/index.ts";
import type { Askable } from "../askable.ts";
import type { Inquiry } from "../inquiry.ts";

/** More places are not walked. */
const MOST = 6;

/**
 * The client may stand behind one of several devices, and nobody showed which: the question is walked from each. Undefined where there is one
 * place only, where the question says which, or where it makes no difference.
 */
export function clientPlaces(askable: Askable, { spec }: Inquiry): DecisiveFact | undefined {
  const address = parseAddress(spec.from ?? "");
  if (address === undefined || spec.in !== undefined || spec.node !== undefined || spec.home !== undefined)
    return undefined;
  const places = placesOf(askable.world, address);
  if (places.length < 2) return undefined;
  const outcomes = places.slice(0, MOST).flatMap((place) => {
    const resolved = resolveQuestion(askable.world, { ...spec, home: placeText(place) });
    if (resolved.ok !== true) return [];
    const walked = judge(trace(resolved.world, resolved.question, { fixed: askable.assumed, record: false }));
    return [{ value: placeText(place), verdict: walked.verdict }];
  });
  const differ = new Set(outcomes.map((o) => o.verdict)).size > 1;
  return differ ? { fact: factId({ kind: "home", address }), outcomes } : undefined;
}
