import { assumed, type Device, is, type Route, type Rule } from "@hairpin/core/model/index.ts";
import { BadWord, deviceWord, lineOf, words } from "@hairpin/core/model/word.ts";
import { parseAddress, parsePrefix } from "@hairpin/core/net/index.ts";
import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, test } from "vitest";
import { failedLines } from "../batch.ts";
import { emptyStack, type LabPlan, OBSERVE_ALL } from "../plan.ts";
import { compileChange } from "./change.ts";
import { ipsetRestore } from "./ipset.ts";
import { linkProgram, YARD } from "./links.ts";
import { restores } from "./netfilter.ts";
import { type Refusal, Unspeakable } from "./refusal.ts";
import { routeWords, ruleWords } from "./route.ts";
import { sysctlParts } from "./sysctls.ts";

const origin = assumed("test");
const card = (name: string, rest: Partial<Device> = {}): Device => ({
  name,
  kind: "veth",
  up: true,
  addresses: [],
  addressesKnown: true,
  origin,
  ...rest,
});
const planOf = (stacks: LabPlan["stacks"], cables: LabPlan["cables"]): LabPlan => ({
  stacks,
  cables,
  relays: [],
  listeners: [],
  stimuli: [],
  observe: OBSERVE_ALL,
});

/** What the commands of a link program make, in order, per namespace. */
function replay(plan: LabPlan): ReadonlyMap<string, readonly string[]> {
  const made = new Map<string, string[]>();
  const parked = new Map<string, string>();
  const put = (stack: string, name: string) => made.set(stack, [...(made.get(stack) ?? []), name]);
  const path = (stack: string) => `/proc/1/fd/${plan.stacks.findIndex((s) => s.name === stack)}`;
  const at = (fd: string) => plan.stacks[Number(fd)]!.name;
  for (const phase of linkProgram(plan, path, { dummy: false }).phases) {
    for (const { stack, lines } of phase) {
      for (const text of lines) {
        const pair =
          /^link add name (\S+) index \d+ netns \/proc\/1\/fd\/(\d+) type veth peer name (\S+) index \d+(?: netns \/proc\/1\/fd\/(\d+))?$/.exec(
            text,
          );
        const move = /^link set dev (\S+) netns \/proc\/1\/fd\/(\d+) name (\S+)$/.exec(text);
        const local = /^link add .*name (\S+) index/.exec(text);
        const plain = /^link add name (\S+) index \d+ netns \/proc\/1\/fd\/(\d+) type bridge/.exec(text);
        if (pair !== null) {
          // The peer is registered first.
          if (pair[4] !== undefined) put(at(pair[4]), pair[3]!);
          else parked.set(pair[3]!, "");
          put(at(pair[2]!), pair[1]!);
        } else if (move !== null) {
          expect(parked.delete(move[1]!)).toBe(true);
          put(at(move[2]!), move[3]!);
        } else if (plain !== null) put(at(plain[2]!), plain[1]!);
        else if (local !== null) {
          expect(stack).not.toBe(YARD);
          put(stack, local[1]!);
        }
      }
    }
  }
  return made;
}

describe("links", () => {
  test("every stack gets its devices in its own order, for any cabling", () => {
    const world = fc
      .record({
        sizes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
        seed: fc.infiniteStream(fc.nat()),
      })
      .map(({ sizes, seed }) => {
        const next = (n: number) => seed.next().value! % n;
        const ends = sizes.flatMap((size, s) =>
          Array.from({ length: size }, (_, d) => ({ stack: `s${s}`, device: `d${d}` })),
        );
        const free = [...ends];
        const cables: [(typeof ends)[number], (typeof ends)[number]][] = [];
        while (free.length > 1 && next(5) > 0) {
          const [a] = free.splice(next(free.length), 1);
          const [b] = free.splice(next(free.length), 1);
          cables.push([a!, b!]);
        }
        const stacks = sizes.map((size, s) => ({
          ...emptyStack(`s${s}`, "stack" as const),
          devices: Array.from({ length: size }, (_, d) => {
            const cabled = cables.some((c) => c.some((e) => e.stack === `s${s}` && e.device === `d${d}`));
            if (cabled) return card(`d${d}`);
            const kind = (["veth", "bridge", "vlan"] as const)[next(3)]!;
            return kind === "vlan"
              ? card(`d${d}`, { kind, lower: "x", vlan: { id: 5, protocol: "802.1Q" } })
              : card(`d${d}`, { kind });
          }),
        }));
        return planOf(stacks, cables);
      });
    fc.assert(
      fc.property(world, (plan) => {
        const made = replay(plan);
        for (const stack of plan.stacks) expect(made.get(stack.name)).toEqual(stack.devices.map((d) => d.name));
      }),
    );
  });

  test("indexes are unique in the world", () => {
    const stacks = ["a", "b"].map((name) => ({
      ...emptyStack(name, "stack" as const),
      devices: [card("x"), card("y"), card("z")],
    }));
    const plan = planOf(stacks, [
      [
        { stack: "a", device: "x" },
        { stack: "b", device: "y" },
      ],
      [
        { stack: "a", device: "y" },
        { stack: "b", device: "x" },
      ],
    ]);
    const text = linkProgram(plan, () => "/proc/1/fd/3", { dummy: true })
      .phases.flat()
      .flatMap((b) => b.lines)
      .join(" ");
    const indexes = [...text.matchAll(/index (\d+)/g)].map((m) => m[1]);
    expect(new Set(indexes).size).toBe(indexes.length);
    expect(indexes).toHaveLength(8);
  });
});

describe("words", () => {
  test("a name is one word and no option, or it is refused", () => {
    for (const good of ["eth0", "eth0.100", "cali12ab@if3", "veth_a-b", "wg+", "a:1"])
      expect(deviceWord(good)).toBe(good);
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 20 }), (text) => {
        try {
          expect(deviceWord(text)).toMatch(/^[^\s"'#\\;$`|&<>-][^\s"'#\\;$`|&<>]*$/);
        } catch (problem) {
          expect(problem).toBeInstanceOf(BadWord);
        }
      }),
    );
  });

  test("routes and rules", () => {
    const route: Route = {
      type: "unicast",
      family: 4,
      destination: parsePrefix("0.0.0.0/0")!,
      table: 100,
      protocol: "bird",
      nexthops: [{ gateway: parseAddress("10.0.0.1")!, device: "eth0", weight: 1, flags: ["onlink", "linkdown"] }],
      extra: ["expires 3sec"],
      origin,
    };
    expect(routeWords(route).join(" ")).toBe("unicast 0.0.0.0/0 table 100 via 10.0.0.1 dev eth0 onlink");
    expect(() => routeWords({ ...route, nexthops: [{ device: "a b", weight: 1, flags: [] }] })).toThrow(BadWord);
    const rule = {
      family: 4,
      preference: 5,
      not: true,
      from: parsePrefix("10.0.0.0/8")!,
      fwmark: 1,
      fwmask: 255,
      action: { kind: "lookup", table: 7 },
      unknown: [],
      origin,
    } as const;
    expect(ruleWords(rule).join(" ")).toBe("pref 5 not from 10.0.0.0/8 fwmark 0x1/0xff lookup 7");
    expect(() => ruleWords({ ...rule, unknown: ["sport 1"] })).toThrow(Unspeakable);
  });

  test("sysctl keys, dots in a device's name written either way", () => {
    const parts = ["net", "ipv4", "conf", "eth0.5", "rp_filter"];
    expect(sysctlParts("net.ipv4.conf.eth0/5.rp_filter")).toEqual(parts);
    expect(sysctlParts("net/ipv4/conf/eth0.5/rp_filter")).toEqual(parts);
  });

  test("which line of a batch failed", () => {
    const answer = {
      status: 1,
      stdout: "",
      stderr: "RTNETLINK answers: File exists\nCommand failed -:2\nCannot find device\nCommand failed -:3\n",
      ms: 1,
    };
    expect(failedLines(answer, { stack: "s", lines: [lineOf(words`a`), lineOf(words`b`), lineOf(words`c`)] })).toEqual([
      { stack: "s", what: "b", answer: "RTNETLINK answers: File exists" },
      { stack: "s", what: "c", answer: "Cannot find device" },
    ]);
  });
});

describe("tables", () => {
  const rule = (rest: Partial<Rule> & Pick<Rule, "target">): Rule => ({ matches: [], origin, ...rest });
  const stack = {
    ...emptyStack("node", "stack"),
    tables: [
      {
        name: "nat" as const,
        family: 4 as const,
        backend: "nft" as const,
        extent: "whole" as const,
        origin,
        chains: [
          {
            name: "POSTROUTING",
            policy: "ACCEPT" as const,
            rules: [rule({ outInterface: is("eth0"), target: { kind: "jump", chain: "K", goto: false } })],
            extent: "whole" as const,
            origin,
          },
          {
            name: "K",
            rules: [rule({ matches: [{ kind: "comment", text: 'a "b" c' }], target: { kind: "return" } })],
            extent: "whole" as const,
            origin,
          },
        ],
      },
    ],
  };

  test("observers stand first in the built-in chains, and nat is never added", () => {
    const refused: Refusal[] = [];
    const [only, ...more] = restores(stack, OBSERVE_ALL, refused);
    expect(more).toEqual([]);
    expect(refused).toEqual([]);
    expect(only).toMatchObject({ backend: "nft", family: 4 });
    const lines: readonly string[] = only!.lines;
    expect(lines.filter((l) => l.startsWith("*"))).toEqual(["*nat", "*raw", "*mangle", "*filter"]);
    const nat = lines.slice(0, lines.indexOf("COMMIT"));
    expect(nat.filter((l) => l.startsWith("-A POSTROUTING"))).toEqual([
      "-A POSTROUTING -j NFLOG --nflog-group 41959 --nflog-prefix n4/nat/POSTROUTING",
      "-A POSTROUTING -o eth0 -j K",
    ]);
    expect(nat).toContain('-A K -m comment --comment "a \\"b\\" c" -j RETURN');
    const bare = restores({ ...stack, tables: [] }, OBSERVE_ALL, refused);
    expect(bare.flatMap((r) => r.lines).join("\n")).not.toContain("*nat");
    expect(restores({ ...stack, tables: [] }, { ...OBSERVE_ALL, hooks: "loaded" }, refused)).toEqual([]);
    expect(restores(stack, { ...OBSERVE_ALL, hooks: "none" }, refused)[0]!.lines.join("\n")).not.toContain("NFLOG");
  });

  test("a flush keeps the observer, an insertion counts from behind it", () => {
    const edit = (e: Extract<Parameters<typeof compileChange>[1], { kind: "iptables" }>["edit"]) => {
      const made = compileChange(
        "node",
        { kind: "iptables", family: 4, backend: "legacy", table: "filter", edit: e },
        OBSERVE_ALL,
      );
      return made.kind === "tool" ? made.run.stdin : undefined;
    };
    expect(edit({ kind: "flush", chain: "INPUT" })).toBe(
      "*filter\n-F INPUT\n-A INPUT -j NFLOG --nflog-group 41959 --nflog-prefix l4/filter/INPUT\nCOMMIT\n",
    );
    expect(edit({ kind: "insert", chain: "INPUT", position: 1, rule: rule({ target: { kind: "drop" } }) })).toContain(
      "-I INPUT 2 -j DROP",
    );
    expect(edit({ kind: "insert", chain: "KUBE", position: 1, rule: rule({ target: { kind: "drop" } }) })).toContain(
      "-I KUBE 1 -j DROP",
    );
  });

  test("sets are created before any member is added", () => {
    const refused: Refusal[] = [];
    const address = { kind: "address", from: parseAddress("10.0.0.1")!, length: 32 } as const;
    const set = {
      name: "A",
      method: "hash",
      dimensions: ["ip"],
      family: 4,
      options: [],
      extent: "whole",
      origin,
    } as const;
    const text = ipsetRestore(
      "node",
      [
        { ...set, entries: [{ parts: [address], nomatch: false, comment: "x\nflush", origin }] },
        { ...set, name: "B", entries: [{ parts: [{ kind: "unknown", text: "?\ndestroy" }], nomatch: false, origin }] },
      ],
      refused,
    );
    expect(text).toBe("create A hash:ip\ncreate B hash:ip\nadd A 10.0.0.1\n");
    expect(refused).toHaveLength(1);
  });
});
