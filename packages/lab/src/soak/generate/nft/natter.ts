import { type Draft, hooked, type TableDraft } from "./draft.ts";
import type { Words } from "./words.ts";

/** Translations in all their forms, at any priority. */
export function natter(draft: Draft, words: Words): void {
  const { random } = words;
  const t = draft.table(words.family, "translate");
  const priority = () => random.pick([-100, -100, -110, -50, 0, 99]);
  const source = () => random.pick([100, 100, 90, 150]);
  if (random.chance(0.7)) {
    t.base("pre", hooked("prerouting", priority(), "nat"), ...dnats(words, t, "prerouting"));
  }
  if (random.chance(0.5)) t.base("out", hooked("output", priority(), "nat"), ...dnats(words, t, "output"));
  if (random.chance(0.8)) t.base("post", hooked("postrouting", source(), "nat"), ...snats(words, t));
  if (random.chance(0.2)) {
    t.base("in", hooked("input", source(), "nat"), `${words.matches("input")} snat ${t.natFamily}to ${words.own()}`);
  }
}

function dnats(words: Words, t: TableDraft, hook: "prerouting" | "output"): readonly string[] {
  const { random } = words;
  const to = `dnat ${t.natFamily}to`;
  const vip = () => words.address();
  const tunnel = words.site.overlay?.port;
  // A tunnel's packets that are led to another port reach some program of the lab's, which sends back what it got.
  const spared = tunnel === undefined ? [] : [`udp dport ${tunnel} return`];
  const drawn = Array.from({ length: random.between(1, 3) }, () =>
    random.weighted(
      [2, `${words.match(hook)} ${to} ${words.pod()}`],
      [2, `meta l4proto tcp ${words.match(hook)} ${to} ${words.pod()}:8080`],
      [1, `tcp dport 80 ${to} :8080`.replace("dnat ip to", "dnat to")],
      [1, `${to} ip daddr map { ${vip()} : ${words.pod()} }`],
      [1, `meta l4proto tcp ${to} tcp dport map { 80 : ${words.pod()}, 81 : ${words.pod()} }`],
      [1, `meta l4proto tcp ${to} ip daddr . tcp dport map { ${vip()} . 80 : ${words.pod()} . 8080 }`],
      [1, `ip daddr ${vip()} ${to} numgen random mod 2 map { 0 : ${words.pod()}, 1 : ${words.pod()} }`],
      [1, `ip daddr ${vip()} ${to} numgen inc mod 2 map { 0 : ${words.pod()}, 1 : ${words.pod()} }`],
      [1, `ip daddr ${vip()} ${to} jhash ip saddr mod 2 seed 0x1234 map { 0 : ${words.pod()}, 1 : ${words.pod()} }`],
      [
        1,
        `ip daddr ${vip()} ${to} jhash ip saddr . tcp sport mod 3 seed 0xbeef map { 0 : ${words.pod()}, 1 : ${words.pod()}, 2 : ${words.pod()} }`,
      ],
      [1, `meta l4proto { tcp, udp } ${words.match(hook)} redirect to :8080`],
      [0.7, `meta l4proto icmp ${words.match(hook)} redirect`],
      [0.5, `${words.match(hook)} return`],
      [0.5, `${words.match(hook)} drop`],
    ),
  );
  return [...spared, ...drawn];
}

function snats(words: Words, t: TableDraft): readonly string[] {
  const { random } = words;
  const to = `snat ${t.natFamily}to`;
  return Array.from({ length: random.between(1, 3) }, () =>
    random.weighted(
      [3, `${words.matches("postrouting")} masquerade`],
      [1, `${words.match("postrouting")} masquerade ${random.pick(["random", "fully-random"])}`],
      [1, `meta l4proto tcp ${words.match("postrouting")} masquerade to :50000-50003`],
      [1, `oifname ${words.device()} ip saddr 10.244.0.0/16 ip daddr != 10.244.0.0/16 masquerade`],
      [2, `${words.match("postrouting")} ${to} ${words.own()}`],
      [1, `meta l4proto tcp ${words.match("postrouting")} ${to} ${words.own()}:50000`],
      [1, `${to} ip saddr map { ${words.address()} : ${words.own()} }`],
      [0.5, `ct status dnat masquerade`],
      [0.5, `${words.match("postrouting")} accept`],
    ),
  );
}
