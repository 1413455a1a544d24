import { type Draft, hooked } from "./draft.ts";
import type { Words } from "./words.ts";

/**
 * What decides at an edge: the first and last value of a range, the catch-all of a verdict map, a return before what it skips, a
 * set that the same packet fills and is looked up in, a reject before routing. Few matches, so that most packets meet it; the
 * chains behind show the marks.
 */
export function edges(draft: Draft, words: Words): void {
  const { random } = words;
  const t = draft.table(words.family, "edges");
  t.set("set met { type ipv4_addr; size 65535; flags dynamic,timeout; timeout 1h; }");
  const hook = random.pick(["prerouting", "input", "forward", "output"] as const);
  const effect = () => random.weighted([3, `meta mark set ${words.mark()}`], [1, "drop"], [1, "accept"]);
  const some = () => random.pick(["tcp dport 80", "tcp dport 8080", "meta l4proto udp", "icmp type echo-request"]);
  const into = () => random.weighted([2, "jump inner"], [1, "goto inner"], [1, "drop"], [1, "accept"]);
  const line = () =>
    random.weighted(
      [1, `tcp dport ${random.pick(["8080-9000", "80-81", "0-80", "81-8080"])} ${effect()}`],
      [1, `ip ${random.pick(["saddr", "daddr"])} 10.244.1.2-10.244.1.${random.pick([2, 3, 9])} ${effect()}`],
      [1, `ip ttl ${random.pick(["63-64", "64-80", "1-63"])} ${effect()}`],
      [1, `ip saddr . tcp dport { 10.244.1.2-10.244.2.9 . 80-81, 10.0.0.1-10.0.0.50 . 8080-8081 } ${effect()}`],
      [2, `tcp dport vmap { 22 : drop, * : ${into()} }`],
      [1, `ip saddr vmap { ${words.address()} : accept, * : ${into()} }`],
      [1, `${some()} add @met { ip saddr }`],
      [1, `ip saddr @met ${effect()}`],
      [1, `${some()} ${into()}`],
      [1, `${some()} ${hook === "prerouting" ? "reject" : effect()}`],
    );
  t.chain("inner", `${some()} return`, effect(), `${some()} ${effect()}`);
  t.base("edge", hooked(hook, words.priority()), line(), line(), line(), "jump inner");
  t.base("behind", hooked("postrouting", 300), "counter");
  t.base("arrived", hooked("input", 300), "counter");
}
