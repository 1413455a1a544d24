import type { IpSet, Match, Rule } from "@hairpin/core/model/index.ts";
import { PROTO } from "@hairpin/core/net/index.ts";
import type { Random } from "../random.ts";
import { ip, origin } from "../records.ts";
import { MARKS } from "./policy-routing.ts";
import * as r from "./rules.ts";

/*
 * Matches that look deeper than a header's fields: fragments, words and texts of the packet, its connection's bytes, groups of devices, the
 * time; and sets by more than addresses and ports.
 */

const other = (name: string, ...options: readonly string[]): Match => ({ kind: "other", name, options });
const CHAINS = ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"] as const;

const entry = (parts: IpSet["entries"][number]["parts"]) => ({ parts, nomatch: false, origin });
const address = (text: string, length = 32) => ({ kind: "address" as const, from: ip(text), length });
const port = (protocol: "tcp" | "udp", from: number, to = from) => ({
  kind: "port" as const,
  protocol: PROTO[protocol],
  from,
  to,
});
const set = (
  name: string,
  dimensions: IpSet["dimensions"],
  entries: IpSet["entries"],
  method: IpSet["method"] = "hash",
  options: IpSet["options"] = [],
): IpSet => ({ name, method, dimensions, family: 4, options, entries, extent: "whole", origin });

/** Sets of types that few have, each with what some packets are in. */
export const DEEP_SETS: readonly IpSet[] = [
  set(
    "net-port",
    ["net", "port"],
    [
      entry([address("10.244.0.0", 16), port("tcp", 8080)]),
      entry([address("10.96.0.0", 24), port("udp", 80)]),
      entry([address("10.0.0.0", 24), port("tcp", 30_080)]),
    ],
  ),
  set(
    "net-iface",
    ["net", "iface"],
    [
      entry([address("10.244.0.0", 16), { kind: "iface", name: "cni0", physdev: false, wildcard: false }]),
      entry([address("10.0.0.0", 24), { kind: "iface", name: "eth0", physdev: false, wildcard: false }]),
      entry([address("203.0.113.0", 24), { kind: "iface", name: "eth0", physdev: false, wildcard: false }]),
    ],
  ),
  set(
    "ip-port-net",
    ["ip", "port", "net"],
    [
      entry([address("10.96.0.1"), port("tcp", 80), address("10.244.0.0", 16)]),
      entry([address("10.244.1.2"), port("tcp", 8080), address("10.0.0.0", 24)]),
    ],
  ),
];

/** Of each the directions that fit its dimensions. */
const DIRECTIONS: ReadonlyMap<string, readonly (readonly ("src" | "dst")[])[]> = new Map([
  [
    "net-port",
    [
      ["dst", "dst"],
      ["src", "src"],
      ["src", "dst"],
    ],
  ],
  ["net-iface", [["src", "src"]]],
  [
    "ip-port-net",
    [
      ["dst", "dst", "src"],
      ["src", "src", "dst"],
    ],
  ],
]);

/** One or two rules that mark what they meet, or drop it. */
export function drawDeepRules(random: Random, draft: r.Draft): void {
  if (random.chance(0.7)) return;
  for (let n = random.between(1, 2); n > 0; n--) {
    const chain = random.pick(CHAINS);
    const value = random.pick(MARKS);
    const target = random.chance(0.75) ? r.mark(value, value) : r.DROP;
    draft.add("mangle", chain, drawDeep(random, chain, target));
  }
}

function drawDeep(random: Random, chain: (typeof CHAINS)[number], target: Parameters<typeof r.rule>[1]): Rule {
  const arrives = chain === "PREROUTING" || chain === "INPUT";
  const kind = random.pick(["fragment", "u32", "string", "devgroup", "time", "set", "connbytes"] as const);
  switch (kind) {
    case "fragment":
      return { ...r.rule({}, target), fragment: { negated: random.chance(0.2) } };
    case "u32":
      return r.rule(
        {
          m: [
            random.pick([
              // Protocol, TTL, length of the packet, destination port.
              other("u32", "--u32", "0x6&0xff=0x11"),
              other("u32", "--u32", "0x5&0xff=0x3f"),
              other("u32", "--u32", "0x0&0xffff=0x4b1:0xffff"),
              other("u32", "--u32", "0x6&0xff=0x6&&0x0>>0x16&0x3c@0x0&0xffff=0x1f90"),
            ]),
          ],
        },
        target,
      );
    case "string":
      // What the lab's clients say, or what they never do.
      return r.rule(
        { p: "udp", m: [other("string", "--string", random.pick(["xxxx", "abcd"]), "--algo", "bm", "--to", "65535")] },
        target,
      );
    case "devgroup":
      return r.rule(
        {
          m: [
            chain === "OUTPUT" || chain === "POSTROUTING"
              ? other("devgroup", "--dst-group", "0x0")
              : other("devgroup", "--src-group", random.pick(["0x0", "0x1"])),
          ],
        },
        target,
      );
    case "time":
      return r.rule({ m: [other("time", random.pick(["--datestart", "--datestop"]), "2001-01-01T00:00:00")] }, target);
    case "set": {
      const name = random.pick(["net-port", "ip-port-net", ...(arrives || chain === "FORWARD" ? ["net-iface"] : [])]);
      return r.rule({ m: [r.setMatch(name, random.pick(DIRECTIONS.get(name)!), random.chance(0.2))] }, target);
    }
    case "connbytes":
      // Of what comes in certain numbers.
      return r.rule(
        {
          p: "icmp",
          m: [
            { kind: "icmp", type: 8, code: { from: 0, to: 255 }, negated: false },
            other("connbytes", "--connbytes", "2", "--connbytes-mode", "packets", "--connbytes-dir", "both"),
          ],
        },
        target,
      );
  }
}
