import { type Draft, hooked } from "./draft.ts";
import { IP_HOOKS, type Words } from "./words.ts";

/** Any match at any hook, and anything behind it. */
export function wild(draft: Draft, words: Words): void {
  const { random } = words;
  const t = draft.table(words.family, "wild");
  for (const hook of random.shuffled(IP_HOOKS).slice(0, random.between(1, 3))) {
    const rules = Array.from({ length: random.between(1, 3) }, () => {
      const rejects = hook === "input" || hook === "forward" || hook === "output";
      const verdict = random.weighted(
        [3, "accept"],
        [2, "drop"],
        [rejects ? 3 : 0, words.reject()],
        [3, `meta mark set ${words.mark()}`],
        [1, `log prefix "wild " counter`],
        [1, "counter packets 0 bytes 0 return"],
      );
      return `${words.matches(hook, 3)} ${verdict}`;
    });
    t.base(hook, hooked(hook, words.priority(), "filter", random.chance(0.08) ? "drop" : "accept"), ...rules);
  }
}
