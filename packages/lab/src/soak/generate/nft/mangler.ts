import { type Draft, hooked } from "./draft.ts";
import { IP_HOOKS, type IpHook, type Words } from "./words.ts";

/** Marks of packets and connections, which `ip rule` sees, and headers that are changed. */
export function mangler(draft: Draft, words: Words): void {
  const { random } = words;
  const t = draft.table(words.family, "mangler");
  t.set(`map marks { type ipv4_addr : mark; elements = { ${words.address()} : 0x1 }; }`);
  for (const hook of random.shuffled(IP_HOOKS).slice(0, random.between(1, 3))) {
    const route = hook === "output" && random.chance(0.7);
    t.base(hook, hooked(hook, random.pick([-150, -10, 10, -250]), route ? "route" : "filter"), ...changes(words, hook));
  }
}

function changes(words: Words, hook: IpHook): readonly string[] {
  const { random } = words;
  // Where packets are forwarded a time to live that is set goes round for ever.
  return Array.from({ length: random.between(1, 3) }, () => {
    const what = random.weighted(
      [4, `meta mark set ${words.mark()}`],
      [1, `meta mark set meta mark | ${words.mark()}`],
      [1, `meta mark set meta mark & 0xffffbfff`],
      [1, `meta mark set meta mark ^ ${words.mark()}`],
      [2, "ct mark set meta mark"],
      [2, "meta mark set ct mark"],
      [1, `ct mark set ${words.mark()}`],
      [1, `ct mark set ct mark | ${words.mark()}`],
      [1, "meta mark set ip saddr map @marks"],
      [hook === "input" || hook === "output" ? 0.7 : 0, "ip ttl set 5"],
      [0.7, `ip dscp set ${random.pick(["cs1", "ef"])}`],
      [0.5, "counter"],
    );
    return `${random.chance(0.8) ? `${words.matches(hook)} ` : ""}${what}`;
  });
}
