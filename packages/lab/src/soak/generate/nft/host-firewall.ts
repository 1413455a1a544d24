import { type Draft, hooked } from "./draft.ts";
import type { Words } from "./words.ts";

/** A host's firewall: policies, `ct state vmap`, named sets, and a reject at the end. */
export function hostFirewall(draft: Draft, words: Words): void {
  const { random } = words;
  const t = draft.table(words.family, "firewall");
  const policy = () => (random.chance(0.4) ? "drop" : "accept");
  t.set(
    `set ports { type inet_service; flags interval; elements = { ${random.pick(["80, 8080", "8000-9000", "80-90, 30000-32767"])} }; }`,
  );
  t.set(
    `set trusted { type ipv4_addr; ${random.pick(["flags interval; elements = { 10.244.0.0/16, 10.0.0.1-10.0.0.20 };", `elements = { ${words.distinct(() => words.address(), 3).join(", ")} };`])} }`,
  );
  const state = random.pick([
    "ct state vmap { established : accept, related : accept, invalid : drop }",
    "ct state established,related accept",
    "ct state { established, related } accept",
    "ct state invalid drop",
  ]);
  t.base(
    "input",
    hooked("input", random.pick([0, 10, -10]), "filter", policy()),
    state,
    'iifname "lo" accept',
    "meta l4proto icmp accept",
    "tcp dport @ports accept",
    "ip saddr @trusted accept",
  );
  t.base("forward", hooked("forward", random.pick([0, 10, -10]), "filter", policy()), state);
  if (random.chance(0.5)) t.add("forward", "ip saddr @trusted accept", `ip daddr ${words.not()}@trusted accept`);
  if (random.chance(0.3)) t.add("forward", "ip saddr @trusted ip daddr != @trusted jump out");
  if (random.chance(0.3)) t.base("output", hooked("output", 0), `${words.match("output")} drop`);
  t.chain("out", `${words.match("forward")} accept`, `counter ${words.reject()}`);
  if (random.chance(0.4)) t.add(random.pick(["input", "forward"]), words.reject());
}
