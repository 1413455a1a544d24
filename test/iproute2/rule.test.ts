import { dialect } from "@hairpin/testing/segments.ts";
import { afterAll, describe, expect, test } from "vitest";
import type { RoutingRule } from "../../packages/core/src/model/index.ts";
import { rulesToCommands } from "../../packages/core/src/parse/iproute2/command/to-commands.ts";
import { printRule } from "../../packages/core/src/parse/iproute2/rule/rule-print.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";
import { bare, canNetns, Netns } from "./netns.ts";

/** Every selector and action the installed ip(8) and the running kernel take, each in several shapes. */
const RULES: readonly string[] = [
  "pref 100 from 10.0.0.0/8 lookup 100",
  "pref 101 from 10.1.2.3 lookup main",
  "pref 102 to 10.12.192.3 lookup main",
  "pref 102 to 10.12.192.4 lookup main",
  "pref 103 from 10.0.0.0/8 to 172.16.0.0/12 lookup 4294967295",
  "pref 104 not from 10.9.0.0/16 lookup 51820",
  "pref 105 fwmark 0x1 lookup 7",
  "pref 106 fwmark 0x80000/0x80000 lookup 8",
  "pref 107 not fwmark 0xca6c lookup 51820",
  "pref 108 fwmark 0 lookup 9",
  "pref 109 iif eth7 lookup 10",
  "pref 110 oif lo lookup 10",
  "pref 111 iif lo oif gone0 lookup 10",
  "pref 112 iif gone1 oif gone2 lookup 10",
  "pref 113 ipproto tcp dport 80 lookup 11",
  "pref 114 ipproto udp sport 1000-2000 lookup 11",
  "pref 115 ipproto 99 sport 53 dport 5000-6000 lookup 11",
  "pref 116 ipproto sctp lookup 11",
  "pref 117 uidrange 0-99 lookup 12",
  "pref 118 uidrange 1000-1000 lookup 12",
  "pref 119 tos 0x10 lookup 13",
  "pref 120 lookup main suppress_prefixlength 0",
  "pref 121 lookup main suppress_ifgroup default",
  "pref 122 lookup main suppress_prefixlength 8 suppress_ifgroup 7",
  "pref 123 from 10.8.0.0/16 unreachable",
  "pref 124 from 10.7.0.0/16 prohibit",
  "pref 125 from 10.6.0.0/16 blackhole",
  "pref 126 from 10.5.0.0/16 nop",
  "pref 127 from 10.4.0.0/16 goto 200",
  "pref 128 from 10.3.0.0/16 goto 9999",
  "pref 129 l3mdev",
  "pref 130 realms 3/4 lookup 100",
  "pref 131 realms 5 lookup 100",
  "pref 132 protocol bird from 10.2.0.0/16 lookup 14",
  "pref 133 protocol 77 from 10.2.0.0/16 lookup 14",
  "pref 134 tun_id 7 lookup 15",
  "pref 135 lookup default",
  "pref 136 lookup local",
  "pref 200 from 0.0.0.0/1 lookup 16",
  "pref 201 not to 10.0.0.1 iif lo fwmark 0x2/0xf ipproto tcp dport 443 lookup 17",
  "pref 40000 from all lookup 18",
];
const RULES6: readonly string[] = [
  "pref 100 from fd00::/8 lookup 100",
  "pref 101 to 2001:db8::1 lookup main",
  "pref 102 not from fd00:1::/32 to fd00:2::/32 fwmark 0x1/0xff lookup 5",
  "pref 103 lookup main suppress_prefixlength 64",
  "pref 104 from fd00:3::/32 unreachable",
  "pref 105 ipproto ipv6-icmp lookup 6",
];

const read = (id: string, text: string, command: readonly string[]) =>
  dialect(id).read(sourceOf("x", text), { command });

function rulesOf(id: string, text: string, command: readonly string[]): readonly RoutingRule[] {
  const reading = read(id, text, command);
  expect(reading.diagnostics).toEqual([]);
  const facts = reading.facts[0];
  if (facts?.kind !== "routing-rules") throw new Error("no rules");
  expect(facts.extent).toBe("whole");
  return facts.rules;
}

/** In JSON and -d the protocol is there or not by its own rules. */
const sameSelectors = (rules: readonly RoutingRule[]): unknown =>
  bare(rules.map(({ protocol, ...r }) => (protocol === "kernel" || protocol === "unspec" ? r : { ...r, protocol })));

describe.skipIf(!canNetns)("rules of a real kernel", () => {
  const opened: Netns[] = [];
  const open = (): Netns => {
    const ns = new Netns();
    opened.push(ns);
    return ns;
  };
  afterAll(() => {
    for (const ns of opened) ns.close();
  });

  test.each([
    [4 as const, RULES],
    [6 as const, RULES6],
  ])("IPv%d: every form says the same, is printed back, and can be made again", (family, rules) => {
    const ns = open();
    const flag = family === 6 ? ["-6"] : [];
    const refusedByKernel = rules.filter((rule) => !ns.ip(...flag, "rule", "add", ...rule.split(" ")).ok);
    expect(refusedByKernel).toEqual([]);
    const plain = ns.must(...flag, "rule");
    expect(plain.split("\n").length - 1).toBe(rules.length + (family === 4 ? 3 : 2));
    const parsed = rulesOf("ip-rule", plain, ["ip", ...flag, "rule"]);
    expect(`${parsed.map((r) => printRule(r)).join("\n")}\n`).toBe(plain);
    expect(new Set(parsed.map((r) => r.family))).toEqual(new Set([family]));

    const details = ns.must(...flag, "-d", "rule");
    const detailed = rulesOf("ip-rule", details, ["ip", ...flag, "-d", "rule"]);
    expect(`${detailed.map((r) => printRule(r, { details: true })).join("\n")}\n`).toBe(details);
    for (const [id, ...form] of [
      ["ip-rule", "-d"],
      ["ip-rule", "-o"],
      ["ip-rule", "-N"],
      ["ip-rule", "-c=always"],
      ["ip-json", "-j"],
      ["ip-json", "-j", "-p"],
      ["ip-json", "-j", "-d"],
    ] as const) {
      const text = ns.must(...flag, ...form, "rule");
      expect(sameSelectors(rulesOf(id, text, ["ip", ...flag, ...form, "rule"]))).toEqual(sameSelectors(parsed));
    }

    const second = open();
    for (const command of rulesToCommands(parsed, family)) second.must(...command);
    expect(second.must(...flag, "rule")).toBe(plain);
  });

  test("all values of the traffic class print as the tool prints them", () => {
    const ns = open();
    const values = [0x08, 0x10, 0x18, 0x04, 0x0c, 0x14, 0x1c];
    const added = values.filter((v) => ns.ip("rule", "add", "pref", String(1000 + v), "tos", `0x${v.toString(16)}`).ok);
    expect(added.length).toBeGreaterThan(0);
    const plain = ns.must("rule");
    expect(
      `${rulesOf("ip-rule", plain, ["ip", "rule"])
        .map((r) => printRule(r))
        .join("\n")}\n`,
    ).toBe(plain);
  });
});
