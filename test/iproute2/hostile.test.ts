import { readdirSync, readFileSync } from "node:fs";
import { cpuMilliseconds } from "@hairpin/testing/cpu.ts";
import { all } from "@hairpin/testing/segments.ts";
import { describe, expect, test } from "vitest";
import { read } from "../../packages/core/src/model/index.ts";
import type { DumpContext } from "../../packages/core/src/parse/dialect.ts";
import { readIpCommand } from "../../packages/core/src/parse/iproute2/command/command-read.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";
import { random } from "./netns.ts";

const folder = new URL("fixtures/kinds/", import.meta.url);
const TEXTS: readonly string[] = [
  ...readdirSync(folder)
    .filter((f) => f.endsWith(".txt"))
    .map((f) => readFileSync(new URL(f, folder), "utf8").slice(0, 3000)),
  "0:\tfrom all lookup local\n7:\tnot from 10.0.0.0/8 to fd00::/8 tos 0x10 fwmark 0x1/0xff iif v9 [detached] oif v0 uidrange 0-100 ipproto tcp sport 1-5 dport 80 lookup 100 suppress_prefixlength 0\n50:\tfrom all goto 60 [unresolved]",
  "default proto static metric 5 \n\tnexthop via 10.0.0.1 dev eth0 weight 3 onlink \n\tnexthop  encap mpls  100 via inet6 fe80::1 dev eth1 weight 1 dead linkdown \n10.0.0.0/8 encap ip id 7 src 0.0.0.0 dst 10.1.1.1 ttl 0 tos 0 via 10.0.0.2 dev v0 mtu lock 1400 pref medium",
  "10.0.0.1 via 10.0.0.2 dev eth0 src 10.0.0.3 uid 0 \n    cache <local,brd> expires 5sec mtu 1400 iif eth0",
  "10.0.0.1 dev eth0 lladdr 02:00:00:00:00:01 router extern_learn ref 1 used 1/2/3probes 4 REACHABLE proto zebra",
  "id 3 group 1,5/2 type resilient buckets 8 \nid 1 via 10.0.0.1 dev v0 scope link ",
  "02:00:00:00:00:05 dev vx0 dst 10.0.0.9 port 4789 vni 77 via v1 self permanent",
  "Kernel IP routing table\nDestination Gateway Genmask Flags Metric Ref Use Iface\n0.0.0.0 10.0.0.2 0.0.0.0 UG 0 0 0 v0",
  "Kernel IPv6 routing table\nDestination Next Hop Flag Met Ref Use If\n::/0 :: !n -1 1 0 lo",
  "eth0      Link encap:Ethernet  HWaddr 02:42:AC:11:00:02\n          inet addr:10.0.0.1  P-t-P:10.0.0.2  Mask:255.255.255.0\n          inet6 addr: fe80::1/64 Scope:Link\n          UP BROADCAST  MTU:1500  Metric:1",
  "Address HWtype HWaddress Flags Mask Iface\n10.0.0.1 ether 02:00:00:00:00:01 CM eth0\n? (10.0.0.2) at <incomplete> on eth0",
  "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\nv0\t00000000\t0200000A\t0003\t0\t0\t0\t00000000\t0\t0\t0",
  "bridge name\tbridge id\t\tSTP enabled\tinterfaces\nbr0\t\t8000.5ae111f65239\tno\t\tv1\n\t\t\t\t\t\t\tv2",
  "/sys/class/net/veth0/brport/hairpin_mode:1\n==> /sys/class/net/veth1/brport/hairpin_mode <==\n0",
  "ip rule add fwmark 42 lookup 100 pref 1024\nip -6 route replace default via fe80::1 dev eth0\nip addr add 10.0.0.1/24 brd + dev eth0\nip link set dev veth0 type bridge_slave hairpin on\nip neigh add proxy 10.0.0.9 dev eth0",
];
const CONTEXTS: readonly DumpContext[] = [
  {},
  { command: ["ip", "-6", "route", "show", "table", "all"] },
  { command: ["ip", "route", "get", "10.0.0.1"], partial: { value: "through grep", by: "command" } },
  { command: ["ip", "-4", "addr", "show", "dev", "eth0"], family: { value: 4, by: "command" } },
  { command: ["bridge", "-j", "fdb", "show", "dev", "vx0"], device: { value: "vx0", by: "command" } },
  { command: [], routeTable: { value: "main", by: "case.yaml" } },
  { command: ["cat", "/sys/class/net/veth0/brport/hairpin_mode"] },
];
const BITS: readonly string[] = [
  "\\",
  "\\ ",
  "\t",
  " ",
  "<",
  ">",
  "[",
  "{",
  '"',
  "@",
  ":",
  "/",
  "…",
  "\u0000",
  "\u001b[31m",
  "😀",
  "-1",
  "999999999999999999999",
  "::",
  "0x",
  "via",
  "dev",
  "inet",
  "nexthop",
  "lookup",
  "\ud800",
  "...",
  "__proto__",
  "constructor",
  "peer",
  "table",
];

function mutate(text: string, dice: (n: number) => number): string {
  let out = text;
  for (let n = 1 + dice(6); n > 0; n--) {
    const at = dice(out.length + 1);
    const lines = out.split("\n");
    switch (dice(7)) {
      case 0:
        out = out.slice(0, at) + BITS[dice(BITS.length)]! + out.slice(at);
        break;
      case 1:
        out = out.slice(0, at) + out.slice(at + 1 + dice(20));
        break;
      case 2:
        lines.splice(dice(lines.length), 1 + dice(3));
        out = lines.join("\n");
        break;
      case 3:
        lines.splice(dice(lines.length), 0, lines[dice(lines.length)]!);
        out = lines.join("\n");
        break;
      case 4:
        out = out.slice(0, at);
        break;
      case 5:
        out = out.slice(0, at) + String.fromCharCode(dice(0x300)) + out.slice(at + 1);
        break;
      default:
        out = out.replace("\n", dice(2) === 0 ? " " : "\r\n");
    }
  }
  return out;
}

describe("whatever bytes come in", () => {
  test("3,000 damaged listings are read by every dialect without a throw", () => {
    const dice = random(77 + 1000 * Number(process.env.HAIRPIN_SEED ?? 0));
    let readings = 0;
    for (let i = 0; i < 3000; i++) {
      const text = mutate(TEXTS[dice(TEXTS.length)]!, dice);
      const source = sourceOf("x", text);
      const context = CONTEXTS[dice(CONTEXTS.length)]!;
      // All dialects on some, two on each: what is not theirs must not hurt them either.
      for (const d of i % 30 === 0 ? all : [all[dice(all.length)]!, all[dice(all.length)]!]) {
        const reading = d.read(source, context);
        readings++;
        for (const g of reading.diagnostics) {
          expect(g.line).toBeGreaterThan(0);
          expect(g.line).toBeLessThanOrEqual(source.lines.length);
          expect(g.column).toBeGreaterThan(0);
          expect(g.code).toMatch(/^(ip|bridge|brctl|hairpin|arp|route|ifconfig|proc)-/);
        }
        for (const line of source.lines) d.claim(line);
      }
    }
    expect(readings).toBeGreaterThan(7500);
  });

  test("5,000 damaged commands are understood or refused", () => {
    const dice = random(78);
    const words = TEXTS[TEXTS.length - 1]!.split(/\s+/).concat(
      BITS,
      "ip",
      "rule",
      "del",
      "flush",
      "table",
      "all",
      "bridge",
      "brctl",
    );
    let understood = 0;
    for (let i = 0; i < 5000; i++) {
      const base = TEXTS[TEXTS.length - 1]!.split("\n")[dice(5)]!.split(" ");
      for (let n = dice(4); n > 0; n--) base.splice(dice(base.length + 1), dice(2), words[dice(words.length)]!);
      const command = readIpCommand(base, read("x", 1));
      if (command.kind !== "unknown") understood++;
    }
    expect(understood).toBeGreaterThan(500);
  });

  /** One long line, or very many short ones, of what might make a reader go over its input again and again. */
  const PATTERNS: readonly string[] = [
    "a",
    "a ",
    " ",
    "\t",
    "\\ ",
    "\\",
    "0: ",
    "1: a: <",
    "<",
    "[",
    "{",
    '"',
    '{"a":',
    "default ",
    "nexthop via ",
    "10.0.0.0/8 ",
    "inet ",
    "from all ",
    ":",
    "0/",
    "1,",
    "\u001b[",
    "/sys/",
    "ip rule add ",
    "...",
  ];
  const SIZE = 120_000;
  test.each(PATTERNS)("%j, long", (pattern) => {
    const line = pattern.repeat(Math.ceil(SIZE / pattern.length));
    const many = `${pattern}\n`.repeat(Math.ceil(SIZE / 4 / (pattern.length + 1)));
    for (const d of all)
      for (const text of [line, many]) {
        const source = sourceOf("x", text);
        const cost = cpuMilliseconds(() => {
          d.read(source, {});
          for (const l of source.lines) d.claim(l);
        });
        // Ten times what the slowest needs on a slow machine; a reader that is not linear needs minutes.
        expect(cost, d.id).toBeLessThan(4000);
      }
  });
});
