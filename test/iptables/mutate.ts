import { readdirSync, readFileSync } from "node:fs";
import { dialects } from "../../packages/core/src/parse/iptables/index.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";

/** Dumps to damage: every fixture, and hand-made listings and commands. */
const FIXTURES = new URL("./fixtures/", import.meta.url);
const LISTING = `Chain INPUT (policy ACCEPT 0 packets, 0 bytes)
num   pkts bytes target     prot opt in     out     source               destination         
1        0     0 ACCEPT     tcp  --  eth0   *      !10.0.0.0/8           192.0.2.1            /* a comment */ tcp dpts:1:1024 flags:0x17/0x02 ! match-set S src,dst ctstate NEW
2        5   300 DNAT       6    --  *      *       0.0.0.0/0            0.0.0.0/0            recent: CHECK seconds: 5 reap name: X side: source mask: 255.255.255.255 to:10.0.0.1:80

Chain X (1 references)
target     prot opt source               destination         
LOG        all  --  anywhere             anywhere             limit: avg 3/hour burst 5 LOG level warning prefix "x y "
`;
const COMMANDS = `iptables -t nat -I POSTROUTING 2 -s 10.0.0.0/8,192.0.2.0/24 ! -o eth0 -m comment --comment 'it is' -j MASQUERADE
ip6tables -A INPUT -p icmpv6 --icmpv6-type 135 \\
  -j ACCEPT 2>/dev/null || true; iptables -X "Y"
`;
const DASH_S =
  "-P INPUT ACCEPT -c 1 2\n-N X\n-A INPUT -c 3 4 -p tcp -m multiport --dports 1,2:3 -j X\n+-A X -j X\n:Y - [0:0]\n";

export const SEEDS: readonly string[] = [
  ...readdirSync(FIXTURES).map((name) => readFileSync(new URL(name, FIXTURES), "utf8")),
  LISTING,
  COMMANDS,
  DASH_S,
];

/** mulberry32: small, fast and the same everywhere. */
export function random(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const SPICE = [
  '"',
  "\\",
  "!",
  " ",
  "\t",
  "\n",
  "\r",
  "\0",
  "-",
  "--",
  "-j",
  "-m",
  ":",
  "[",
  "*nat\n",
  "COMMIT\n",
  "é",
  "\ud800",
  "99999999999",
  "/",
  ",",
  "'",
  "#",
  "Chain ",
  "constructor",
];

/** A dump with some bytes changed, words moved, lines doubled, joined or cut. */
export function mutate(next: () => number): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
  let text = pick(SEEDS);
  const start = Math.floor(next() * text.length);
  if (next() < 0.7) text = text.slice(start, start + 400 + Math.floor(next() * 2000));
  const changes = 1 + Math.floor(next() * 12);
  for (let i = 0; i < changes; i++) {
    const at = Math.floor(next() * text.length);
    const length = Math.floor(next() * (next() < 0.8 ? 4 : 60));
    switch (Math.floor(next() * 5)) {
      case 0:
        text = text.slice(0, at) + text.slice(at + length);
        break;
      case 1:
        text = text.slice(0, at) + pick(SPICE) + text.slice(at);
        break;
      case 2:
        text = text.slice(0, at) + String.fromCharCode(Math.floor(next() * 256)) + text.slice(at + 1);
        break;
      case 3: {
        const piece = text.slice(at, at + 1 + Math.floor(next() * 80));
        const to = Math.floor(next() * text.length);
        text = text.slice(0, to) + piece + text.slice(to);
        break;
      }
      default: {
        const other = pick(SEEDS);
        const from = Math.floor(next() * other.length);
        text = text.slice(0, at) + other.slice(from, from + length) + text.slice(at);
      }
    }
  }
  return text;
}

/** Reads a text as every dialect, and asks every line what it claims to be. */
export function readAll(text: string): void {
  const source = sourceOf("mutated", text);
  for (const dialect of dialects) {
    for (const line of source.lines) dialect.claim(line);
    const { diagnostics } = dialect.read(source, {});
    for (const d of diagnostics)
      if (
        !(d.line >= 1 && d.line <= Math.max(1, source.lines.length) && d.column >= 1 && d.code.startsWith("iptables-"))
      )
        throw new Error(`bad diagnostic ${JSON.stringify(d)}`);
  }
}
