import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { IpSet, SetEntry, SetPart } from "../../packages/core/src/model/index.ts";
import { ipv4Of, lowBitsOf } from "../../packages/core/src/net/index.ts";
import type { Reading } from "../../packages/core/src/parse/dialect.ts";
import { formatElement } from "../../packages/core/src/parse/ipset/element.ts";
import {
  dialects,
  IpsetTable,
  parseIpsetCommand,
  printList,
  printSave,
} from "../../packages/core/src/parse/ipset/index.ts";
import { shellWords } from "../../packages/core/src/parse/shell-words.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";

const namespace = `hairpin-ipset-${process.pid}`;
const made = spawnSync("ip", ["netns", "add", namespace]).status === 0;
const works = made && spawnSync("ip", ["netns", "exec", namespace, "ipset", "list"]).status === 0;
if (!works) console.warn("SKIPPED: ipset against the running kernel needs root, ip and ipset");
afterAll(() => {
  if (made) spawnSync("ip", ["netns", "del", namespace]);
});

/** Runs commands one by one in the namespace; what each answered stands after `> `. */
function run(commands: readonly string[]): string[] {
  const script = commands.map((c) => `if ${c} >/dev/null 2>&1; then echo "> 0"; else echo "> 1"; fi`).join("\n");
  const { stdout } = spawnSync("ip", ["netns", "exec", namespace, "sh", "-s"], { input: script, encoding: "utf8" });
  return stdout.trim().split("\n");
}
const ipset = (...args: string[]): string =>
  spawnSync("ip", ["netns", "exec", namespace, "ipset", ...args], { encoding: "utf8" }).stdout;
const read = (id: string, text: string): Reading =>
  dialects.find((d) => d.id === id)!.read(sourceOf("kernel", text), { command: ["ipset", id.slice("ipset-".length)] });
const setsOf = (reading: Reading): readonly IpSet[] => reading.facts.flatMap((f) => (f.kind === "ipset" ? f.sets : []));

const EXTENSIONS = [
  "",
  "timeout 9000",
  "counters",
  "comment",
  "skbinfo",
  "timeout 9000 counters comment skbinfo forceadd",
];
const OPTIONS = [
  "",
  "timeout 777",
  "packets 3 bytes 4",
  'comment "a b\\c"',
  "skbmark 0x10/0xff skbprio 1:2 skbqueue 3",
];
const TYPES: readonly (readonly [string, readonly string[]])[] = [
  ["bitmap:ip range 10.0.0.0/24", ["10.0.0.1", "10.0.0.8-10.0.0.11"]],
  ["bitmap:ip range 10.0.0.0/8 netmask 24", ["10.0.0.0", "10.4.0.0/16"]],
  ["bitmap:ip,mac range 10.0.0.0/24", ["10.0.0.1", "10.0.0.2,aa:bb:cc:dd:ee:01"]],
  ["bitmap:port range 0-65535", ["80", "8000-8003", "http"]],
  ["hash:ip", ["10.0.0.1", "10.0.0.8/30"]],
  ["hash:ip netmask 24", ["10.0.0.77"]],
  ["hash:ip family inet6", ["2001:db8::1", "::ffff:10.0.0.1"]],
  ["hash:ip,mac", ["10.0.0.1,aa:bb:cc:dd:ee:01"]],
  ["hash:ip,mark markmask 0xff00", ["10.0.0.1,0x1234"]],
  [
    "hash:ip,port",
    ["10.0.0.1,tcp:80", "10.0.0.1,udp:53-55", "10.0.0.1,icmp:3/10", "10.0.0.1,icmp:9/9", "10.0.0.1,vrrp:0"],
  ],
  ["hash:ip,port family inet6", ["2001:db8::1,tcp:80", "2001:db8::1,icmpv6:ping", "2001:db8::1,icmpv6:200/1"]],
  ["hash:ip,port,ip", ["10.0.0.1,tcp:80,10.0.0.2"]],
  ["hash:ip,port,net", ["10.0.0.1,tcp:80,10.1.0.0/16", "10.0.0.1,tcp:80,10.1.1.0/24 nomatch"]],
  ["hash:mac", ["aa:bb:cc:dd:ee:01"]],
  ["hash:net", ["10.0.0.0/8", "10.1.0.0/16 nomatch", "10.9.0.0-10.9.2.255"]],
  ["hash:net family inet6", ["2001:db8::/32", "fe80::1"]],
  [
    "hash:net,iface",
    ["10.0.0.0/8,eth0", "10.0.0.0/8,physdev:eth0 nomatch", "0.0.0.0/0,eth wildcard", "10.1.0.0/16,eth0.5"],
  ],
  ["hash:net,net", ["10.0.0.0/8,11.0.0.0/8 nomatch"]],
  ["hash:net,port", ["10.0.0.0/8,tcp:80", "10.0.0.0/16,udp:53 nomatch"]],
  ["hash:net,port,net", ["10.0.0.0/8,tcp:80,0.0.0.0/0"]],
];

describe.skipIf(!works)("ipset on the running kernel", () => {
  const absent: string[] = [];
  let number = 0;
  beforeAll(() => {
    const commands: string[] = [];
    for (const [type, elements] of TYPES) {
      if (run([`ipset create probe ${type}`, "ipset destroy probe"])[0] !== "> 0") {
        absent.push(type.split(" ")[0]!);
        continue;
      }
      for (const [i, extension] of EXTENSIONS.entries()) {
        const hash = type.startsWith("hash:") ? extension : extension.replace(" forceadd", "");
        const name = `s${number++}`;
        commands.push(`ipset create ${name} ${type} ${hash}`);
        const given = i === EXTENSIONS.length - 1 ? OPTIONS : [i === 0 ? "" : (OPTIONS[i] ?? "")];
        for (const element of elements)
          for (const options of given) commands.push(`ipset -! add ${name} ${element} ${options}`);
      }
    }
    commands.push(
      "ipset create all list:set size 12 comment",
      "ipset add all s0 comment first",
      "ipset add all s1 before s0",
    );
    const answers = run(commands);
    const failed = commands.filter((_, i) => answers[i] !== "> 0");
    expect(failed).toEqual([]);
  });

  test("save is read without complaint and printed back byte for byte", () => {
    const text = ipset("save");
    const reading = read("ipset-save", text);
    expect(reading.diagnostics).toEqual([]);
    expect(printSave(setsOf(reading))).toBe(text);
    expect(setsOf(reading).length).toBe(number + 1);
  });
  test("list too, whole and terse", () => {
    const text = ipset("list");
    const reading = read("ipset-list", text);
    expect(reading.diagnostics).toEqual([]);
    expect(printList(setsOf(reading))).toBe(text);
    expect(new Set(setsOf(reading).map((s) => s.extent))).toEqual(new Set(["whole"]));
    const terse = ipset("list", "-t");
    const headers = read("ipset-list", terse);
    expect(headers.diagnostics).toEqual([]);
    expect(printList(setsOf(headers), true)).toBe(terse);
    for (const set of setsOf(headers)) expect(set.extent).toBe(set.numberOfEntries === 0 ? "whole" : "partial");
  });
  test("list and save say the same", () => {
    // Two calls, some time apart: what is left of a member's timeout runs down in between.
    const still = (text: string) => text.replace(/^(add .*? timeout) \d+/gm, "$1 N");
    expect(still(printSave(setsOf(read("ipset-list", ipset("list")))))).toBe(still(ipset("save")));
  });
  test("types this kernel lacks are named", () => {
    if (absent.length > 0) console.warn(`not in this kernel: ${[...new Set(absent)].join(" ")}`);
    expect(number / EXTENSIONS.length).toBe(TYPES.length - absent.length);
  });
});

/** The elements the kernel holds for an entry: ranges of addresses and ports one by one. */
function elements(entry: SetEntry, networks: readonly boolean[]): string[] {
  const lists = entry.parts.map((part, i): SetPart[] => {
    if (part.kind === "port") {
      return Array.from({ length: part.to - part.from + 1 }, (_, n) => ({
        ...part,
        from: part.from + n,
        to: part.from + n,
      }));
    }
    if (part.kind !== "range" || networks[i]) return [part];
    const from = lowBitsOf(part.from);
    return Array.from({ length: lowBitsOf(part.to) - from + 1 }, (_, n) => ({
      kind: "address" as const,
      from: ipv4Of(from + n),
      length: 32,
    }));
  });
  const all = lists.reduce<SetPart[][]>((sum, list) => sum.flatMap((parts) => list.map((p) => [...parts, p])), [[]]);
  return all.map((parts) => `${formatElement(parts)}${entry.nomatch ? " nomatch" : ""}`);
}

describe.skipIf(!works)("commands against the running kernel", () => {
  /** A small generator, so that a failure can be repeated. */
  const random = (seed: number) => {
    let state = seed;
    return (n: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * n);
    };
  };
  const CREATE = [
    "hash:ip",
    "hash:ip,port",
    "hash:net",
    "hash:net,iface",
    "hash:ip,port,net",
    "bitmap:ip range 10.0.0.0/26",
    "bitmap:port range 80-90",
    "hash:ip netmask 28",
    "list:set size 3",
  ];
  test.each([1, 2, 3])("session %i ends as the kernel's", (seed) => {
    const pick = random(seed);
    const one = <T>(from: readonly T[]): T => from[pick(from.length)]!;
    const names = CREATE.map((_, i) => `k${seed}x${i}`);
    const address = () =>
      one(["10.0.0.1", "10.0.0.2", "10.0.0.5", "10.0.0.0/30", "10.0.0.1-10.0.0.6", "10.0.0.16/29", "10.0.0.70"]);
    const port = () => one(["tcp:80", "tcp:80-83", "udp:53", "81", "tcp:82-90"]);
    const net = () => one(["10.0.0.0/8", "10.0.0.0/24", "10.0.0.1", "10.0.0.0-10.0.0.20", "10.0.0.3/24"]);
    const element = (type: string): string => {
      if (type.startsWith("list")) return one(names);
      if (type.startsWith("bitmap:port")) return one(["80", "81-84", "90", "85-95", "79"]);
      if (type.includes("net,iface")) return `${net()},${one(["eth0", "eth1", "physdev:eth0"])}`;
      if (type.includes("port,net")) return `${address()},${port()},${net()}`;
      if (type.includes("ip,port")) return `${address()},${port()}`;
      return type.startsWith("hash:net") ? net() : address();
    };
    const commands = names.map((name, i) => `ipset create ${name} ${CREATE[i]}`);
    for (let i = 0; i < 400; i++) {
      const at = pick(names.length);
      const verb = one(["add", "add", "add", "del", "del", "flush", "add"]);
      if (verb === "flush" && pick(8) > 0) continue;
      const what = verb === "flush" ? "" : ` ${element(CREATE[at]!)}`;
      // Of a range that meets what is there, the kernel takes the elements before the first clash: not so here.
      const exist = /-|\/[23]/.test(what) ? "-! " : one(["", "-! ", ""]);
      commands.push(`ipset ${exist}${verb} ${names[at]}${what}`);
    }
    commands.push(`ipset swap ${names[0]} ${names[7]}`, `ipset rename ${names[1]} k${seed}renamed`);
    const table = new IpsetTable({ sets: [], extent: "whole" });
    const kernel = run(commands);
    const wrong: string[] = [];
    for (const [i, text] of commands.entries()) {
      const { command, problems } = parseIpsetCommand(shellWords(text, 6), { kind: "assumed", rule: "test" });
      const reason = problems[0]?.message ?? table.apply(command!);
      if ((reason === undefined) !== (kernel[i] === "> 0")) wrong.push(`${text}: kernel ${kernel[i]}, here ${reason}`);
    }
    expect(wrong).toEqual([]);
    const saved = setsOf(read("ipset-save", ipset("save"))).filter((s) => s.name.startsWith(`k${seed}`));
    const contents = (sets: readonly IpSet[]) =>
      Object.fromEntries(
        sets.map((s) => {
          const networks = s.dimensions.map((d) => d === "net");
          const all = s.entries.flatMap((e) => elements(e, networks));
          // Of a range under a netmask only the networks' own addresses are elements.
          const masked = s.options.some((o) => o.name === "netmask")
            ? all.filter((e) => Number(e.split(".")[3]) % 16 === 0)
            : all;
          return [s.name, [...new Set(masked)].sort()];
        }),
      );
    expect(contents(table.state.sets)).toEqual(contents(saved));
  });
});
