import { type Draft, hooked } from "./draft.ts";
import type { Words } from "./words.ts";

/** Before conntrack: what is not tracked, who may not be the sender, early drops. */
export function raw(draft: Draft, words: Words): void {
  const { random } = words;
  const t = draft.table(words.family, "raw_rules");
  for (const hook of random.some(["prerouting", "output"] as const, 0.7)) {
    const rules = Array.from({ length: random.between(1, 2) }, () =>
      random.weighted(
        [2, `${words.matches(hook)} notrack`],
        [1, `udp dport ${words.port()} notrack`],
        [1, hook === "prerouting" ? "fib saddr . iif oif missing drop" : `${words.match(hook)} counter`],
        [1, hook === "prerouting" ? "fib saddr . mark . iif oif missing drop" : `${words.match(hook)} accept`],
        [1, `${words.matches(hook)} drop`],
        [1, `${words.match(hook)} meta mark set ${words.mark()}`],
      ),
    );
    t.base(hook, hooked(hook, random.pick([-450, -310, -300, -250])), ...rules);
  }
  if (random.chance(0.5))
    t.base(
      "late",
      hooked("postrouting", random.pick([300, 110, 90])),
      `${words.matches("postrouting")} ${random.pick(["drop", "accept", "counter"])}`,
    );
}
