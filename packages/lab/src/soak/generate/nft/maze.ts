import { type Draft, hooked } from "./draft.ts";
import { IP_HOOKS, type Words } from "./words.ts";

/** Jumps, gotos, returns and verdict maps, with a verdict waiting behind each. */
export function maze(draft: Draft, words: Words): void {
  const { random } = words;
  const t = draft.table(words.family, "maze");
  const hook = random.pick(IP_HOOKS);
  const verdict = () =>
    random.weighted(
      [3, "accept"],
      [2, "drop"],
      [2, "return"],
      [2, `meta mark set ${words.mark()}`],
      [1, "counter"],
      [1, "continue"],
    );
  const into = (chain: string) => `${random.pick(["jump", "goto"])} ${chain}`;
  const vmap = (chain: string) =>
    random.pick([
      `meta l4proto vmap { tcp : ${into(chain)}, udp : return, icmp : accept }`,
      `tcp dport vmap { 80 : ${into(chain)}, 8080 : continue, * : ${into(chain)} }`,
      `ip saddr vmap { 10.244.0.0/16 : ${into(chain)}, 10.0.0.0/24 : return }`,
      `ip daddr . tcp dport vmap { ${words.address()} . 8080 : ${into(chain)}, ${words.address()} . 80 : drop }`,
      `ct state vmap { new : ${into(chain)}, established : accept }`,
      `meta mark vmap { 0x1 : ${into(chain)}, 0x4000 : accept }`,
      ...(hook === "output" ? [] : [`iifname vmap { "eth0" : ${into(chain)}, "lo" : accept }`]),
    ]);
  const line = (chain: string) =>
    random.weighted(
      [2, `${words.match(hook)} ${into(chain)}`],
      [2, vmap(chain)],
      [1, `${words.match(hook)} ${verdict()}`],
    );
  t.chain("third", `${words.match(hook)} ${verdict()}`, verdict());
  t.chain("second", line("third"), `${words.match(hook)} ${verdict()}`, line("third"));
  t.chain("first", line("second"), `${words.match(hook)} ${verdict()}`, line("third"));
  t.base(
    "entrance",
    hooked(hook, words.priority(), "filter", random.chance(0.25) ? "drop" : "accept"),
    line("first"),
    line("second"),
    `${words.match(hook)} accept`,
  );
}
