import { append, edit, host, pick, who } from "./edit.ts";
import type { Varied, Vary } from "./varied.ts";

const FILE = "nft-list-ruleset.txt";
const ip = ({ family }: Varied): string => (family === 6 ? "ip6" : "ip");
const type = ({ family }: Varied): string => (family === 6 ? "ipv6_addr" : "ipv4_addr");
const bare = (prefix: string): string => prefix.replace(/\/(?:32|128)$/, "");

const chain = (given: Varied, rules: readonly string[], sets = ""): void =>
  append(
    given,
    FILE,
    `table inet firewall-${given.at}-${rules.length} {\n${sets}\tchain seen {\n\t\ttype filter hook ${pick(["forward", "input", "output", "prerouting"], given.at)} priority ${pick(["filter", "filter + 5", "mangle"], Math.floor(given.at / 4))}; policy accept;\n${rules.map((r) => `\t\t${r}\n`).join("")}\t}\n}\n`,
  );

/** Rulesets of nft beside those of kube-proxy, which may be in nftables itself. */
export const RULESETS: Readonly<Record<string, Vary>> = {
  "nft-drop": (g) => chain(g, [`${ip(g)} saddr ${bare(who(g))} drop`]),
  "nft-set": (g) =>
    chain(
      g,
      [`${ip(g)} ${pick(["saddr", "daddr"], g.at)} @some drop`],
      `\tset some {\n\t\ttype ${type(g)}\n\t\tflags interval\n\t\telements = { ${host(g)} }\n\t}\n`,
    ),
  "nft-pairs": (g) =>
    chain(
      g,
      [`${ip(g)} saddr . tcp dport @pairs drop`],
      `\tset pairs {\n\t\ttype ${type(g)} . inet_service\n\t\telements = { ${host(g)} . 8080, ${host(g, 1)} . 80 }\n\t}\n`,
    ),
  "nft-map": (g) =>
    chain(
      g,
      [`meta mark set ${ip(g)} saddr map @marks`, "meta mark 0x00000500 drop"],
      `\tmap marks {\n\t\ttype ${type(g)} : mark\n\t\telements = { ${host(g)} : 0x00000500, ${host(g, 1)} : 0x00000501 }\n\t}\n`,
    ),
  "nft-verdicts": (g) =>
    chain(g, [`${ip(g)} ${pick(["saddr", "daddr"], g.at)} vmap { ${host(g)} : drop, ${host(g, 1)} : accept }`]),
  "nft-devices": (g) =>
    chain(g, [
      `iifname ${pick(['"veth0"', '"cni0"', '"veth*"', '{ "eth0", "cni0" }'], g.at)} ${pick(["tcp dport 8080 ", ""], g.at)}drop`,
    ]),
  "nft-part": (g) =>
    chain(g, [g.family === 6 ? "ip6 saddr & ::ff == ::10 drop" : "ip saddr & 0.0.0.255 == 0.0.0.10 drop"]),
  "nft-not-spoofed": (g) => chain(g, ["fib saddr . iif oif missing drop"]),
  "nft-state": (g) =>
    chain(g, ["ct state established,related accept", `ct state new ${ip(g)} saddr ${bare(who(g))} reject`]),
  "nft-some": (g) => chain(g, [`${ip(g)} saddr ${bare(who(g))} numgen random mod 2 == 0 drop`]),
  "nft-original": (g) => chain(g, [`ct original ${ip(g)} daddr ${g.addresses.service(g.at % g.services)} drop`]),
  "nft-element-lost": (g) =>
    edit(g, FILE, (t) => {
      const all = [...t.matchAll(/[0-9a-f:.]+ \. (?:tcp|udp) \. \d+ : goto [^,\s}]+/g)].map((m) => m[0]);
      const lost = all[g.at % Math.max(1, all.length)];
      return lost === undefined
        ? t
        : t.replace(new RegExp(`${lost.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")},?\\s*`), "");
    }),
};
