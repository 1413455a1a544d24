import { type Draft, hooked } from "./draft.ts";
import type { Words } from "./words.ts";

/** Chains at a device, below IP. They leave ARP alone. */
export function device(draft: Draft, words: Words): void {
  const { random, node } = words;
  const cards = node.devices.filter((d) => d.kind === "ethernet" || d.kind === "veth").map((d) => d.name);
  if (cards.length === 0) return;
  const t = draft.table(random.chance(0.7) ? "netdev" : "inet", "card");
  const match = () =>
    random.pick([
      `ip saddr ${words.where()}`,
      `ip daddr ${words.where()}`,
      `tcp dport ${words.port()}`,
      `meta protocol ip ip protocol ${random.pick(["udp", "icmp"])}`,
      `ip saddr . ip daddr { ${words.address()} . ${words.address()} }`,
    ]);
  const hook = t.family === "netdev" && random.chance(0.4) ? "egress" : "ingress";
  const rules = Array.from(
    { length: random.between(1, 3) },
    () =>
      `${match()} ${random.weighted([2, "drop"], [2, "accept"], [4, `meta mark set ${words.mark()}`], [1, "counter"])}`,
  );
  t.base("frames", hooked(`${hook} device "${random.pick(cards)}"`, random.pick([0, -10, 10])), ...rules);
}
