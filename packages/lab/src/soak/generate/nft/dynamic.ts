import { type Draft, hooked } from "./draft.ts";
import type { Words } from "./words.ts";

/**
 * What remembers: sets that packets fill, limits, quotas. Only packets whose number is certain are counted, so SYNs and datagrams, but not those of a VXLAN: they carry
 * acknowledgements, too.
 */
export function dynamic(draft: Draft, words: Words): void {
  const { random } = words;
  const t = draft.table(words.family, "memory");
  t.set(`set seen { type ipv4_addr; size ${random.pick([65535, 2])}; flags dynamic,timeout; timeout 1h; }`);
  t.set("set pairs { type ipv4_addr . inet_service; flags dynamic,timeout; timeout 1h; }");
  t.set("set metered { type ipv4_addr; size 65535; flags dynamic; }");
  const hook = random.pick(["prerouting", "input", "forward", "output"] as const);
  const first = random.pick([
    "tcp flags & (syn | ack) == syn",
    "udp dport != { 4789, 8472 }",
    "icmp type echo-request",
  ]);
  const rules = Array.from({ length: random.between(1, 3) }, () =>
    random.weighted(
      [2, `${first} add @seen { ip saddr }`],
      [1, `${first} update @seen { ip daddr timeout 2h }`],
      [1, `${words.match(hook)} delete @seen { ip saddr }`],
      [2, `ip saddr @seen ${random.pick(["drop", "accept", `meta mark set ${words.mark()}`, "reject"])}`],
      [1, `ip saddr != @seen ${first} ${random.pick(["counter", "accept"])}`],
      [1, "tcp flags & (syn | ack) == syn add @pairs { ip saddr . tcp dport }"],
      [1, `ip saddr . tcp dport @pairs ${random.pick(["accept", `meta mark set ${words.mark()}`])}`],
      [1, `${first} limit rate 1/hour burst ${random.pick([1, 2, 3])} packets accept`],
      [1, `${first} limit rate over 1/hour burst ${random.pick([1, 2, 3])} packets ${random.pick(["drop", "reject"])}`],
      [1, `${first} add @metered { ip saddr limit rate over 1/hour burst 2 packets } drop`],
      [1, `${first} quota over 200 bytes drop`],
    ),
  );
  t.base("watch", hooked(hook, words.priority()), ...rules);
}
