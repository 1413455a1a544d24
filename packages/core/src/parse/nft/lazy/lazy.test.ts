import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, it } from "vitest";
import { generateNft } from "../../../../../../bench/generate-nft.ts";
import type { NftTable } from "../../../model/index.ts";
import { readCase } from "../../case/read-case.ts";
import type { Reading } from "../../dialect.ts";
import { sourceOf } from "../../source.ts";
import { wholeRuleset } from "../index.ts";
import * as ruleset from "../ruleset.ts";

const FILE = "nft-list-ruleset.txt";

const eagerly = (text: string) => ruleset.readRuleset(sourceOf(FILE, text));
const lazily = (text: string) => wholeRuleset(text, 0)?.read(FILE, {});
const tablesOf = (reading: Reading | undefined): readonly NftTable[] =>
  reading?.facts.flatMap((f) => (f.kind === "nft" ? f.tables : [])) ?? [];

/** Getters asked, prototypes forgotten. */
const plain = (tables: readonly NftTable[]): unknown => JSON.parse(JSON.stringify(tables));

const RULES = [
  "accept",
  "ip daddr 10.0.0.1 tcp dport 80 jump one",
  "ip saddr { 10.0.0.1, 10.0.0.2 } counter packets 3 bytes 180 drop",
  "ip saddr { 10.0.0.1,\n\t\t\t     10.0.0.2 } accept",
  "numgen random mod 2 vmap { 0 : goto one, 1 : goto two/tcp__10.0.0.1 }",
  'ip daddr . meta l4proto . th dport vmap @verdicts comment "a } b"',
  'counter comment "one # two"',
  "meta l4proto tcp dnat to 10.0.0.9:8080 # handle 12",
  "type filter hook input priority filter; policy drop;",
  "type nat hook ingress devices = { eth0 } priority 0",
  "policy accept",
  'comment "of the chain"',
  "flags offload",
  "masquerade; accept",
  "nonsense { a b } of which nobody knows",
  "ip saddr { 10.0.0.1, = } accept",
  "accept }",
  "ip saddr { 10.0.0.1",
  "xt match comment",
  "$NAME accept",
  "'quoted { ' accept",
  "{",
];
const HEADS = [
  "type ipv4_addr",
  "type ipv4_addr . inet_proto . inet_service : verdict",
  "typeof ip daddr",
  "flags interval,timeout",
  "size 65535",
  "timeout 1m",
  "auto-merge",
  'comment "of the set"',
  "nonsense { a }",
];
const ELEMENTS = [
  "10.0.0.1",
  "10.0.0.2 timeout 10s expires 3s",
  '10.0.0.3 . tcp . 80 comment "a } b" : goto one',
  "10.0.0.0/24",
  "10.0.0.4-10.0.0.9",
  "=",
  "{ 10.0.0.1 }",
];
const NAMES = ["one", "two/tcp__10.0.0.1", "verdicts", "three.four"];

const handle = fc.constantFrom("", "", " # handle 7");
const chain = fc
  .tuple(fc.constantFrom(...NAMES), handle, fc.array(fc.constantFrom(...RULES.slice(0, 8), ...RULES), { maxLength: 6 }))
  .map(([name, mark, rules]) => `\tchain ${name} {${mark}\n${rules.map((r) => `\t\t${r}\n`).join("")}\t}\n`);
const set = fc
  .tuple(
    fc.constantFrom("set", "map"),
    fc.constantFrom(...NAMES),
    fc.array(fc.constantFrom(...HEADS), { maxLength: 3 }),
    fc.option(fc.array(fc.constantFrom(...ELEMENTS), { minLength: 1, maxLength: 5 })),
    fc.array(fc.constantFrom(...HEADS), { maxLength: 1 }),
  )
  .map(([kind, name, heads, elements, behind]) => {
    const shown = elements === null ? [] : [`elements = { ${elements.join(",\n\t\t\t     ")} }`];
    return `\t${kind} ${name} {\n${[...heads, ...shown, ...(behind.length > 0 && elements !== null ? behind : [])].map((l) => `\t\t${l}\n`).join("")}\t}\n`;
  });
const other = fc.constantFrom(
  "\tflags dormant\n",
  '\tcomment "of the table"\n',
  "\tcounter c {\n\t\tpackets 1 bytes 2\n\t}\n",
  "\tcounter c {\n\t\tpackets 3 bytes 4\n\t}\n",
  "\tcounter d {\n\t\tnonsense { }\n\t}\n",
  "\tflowtable f {\n\t\thook ingress priority filter\n\t\tdevices = { eth0, eth1 }\n\t}\n",
  "\tnonsense\n",
  "\n",
);
const table = fc
  .tuple(
    fc.constantFrom("ip", "inet", "ip6"),
    fc.constantFrom("kube-proxy", "filter"),
    handle,
    fc.array(fc.oneof({ weight: 4, arbitrary: chain }, { weight: 2, arbitrary: set }, other), { maxLength: 6 }),
  )
  .map(([family, name, mark, blocks]) => `table ${family} ${name} {${mark}\n${blocks.join("")}}\n`);
const rulesets = fc.array(table, { minLength: 1, maxLength: 3 }).map((tables) => tables.join("\n"));

describe("a ruleset that is read lazily", () => {
  it("holds what the reader of the whole finds, and says the same of it", () => {
    let lazy = 0;
    fc.assert(
      fc.property(rulesets, (text) => {
        const read = lazily(text);
        if (read === undefined) return;
        lazy++;
        const whole = eagerly(text);
        // Chain by chain, before anybody has read the whole.
        expect(plain(tablesOf(read))).toEqual(plain(whole.tables));
        expect(read.diagnostics).toEqual(whole.diagnostics);
        expect(read.counts).toEqual(whole.counts);
      }),
      { numRuns: 1500 },
    );
    // Most that is drawn is odd; what is not has to be enough to tell.
    expect(lazy).toBeGreaterThan(200);
  });

  it("is copied with its rules and elements", () => {
    const [one] = tablesOf(lazily(generateNft({ services: 3, endpoints: 2 })));
    const chain = one!.chains.find((c) => c.name.startsWith("endpoint-0"))!;
    expect({ ...chain }.rules).toHaveLength(2);
    expect({ ...one!.sets[0]!, name: "other" }.elements).toHaveLength(3);
  });

  it("reads of a large one what is asked for, as a case does", () => {
    const text = generateNft({ services: 400, endpoints: 3 });
    const [dump] = readCase([{ path: FILE, text }]).dumps;
    const [made] = tablesOf(dump!.reading);
    expect(dump!.dialect.id).toBe("nft");
    const chain = made!.chains.find((c) => c.name.startsWith("service-7-"))!;
    const again = eagerly(text).tables[0]!;
    expect(chain.rules).toEqual(again.chains.find((c) => c.name === chain.name)!.rules);
    expect(made!.chains.map((c) => c.name)).toEqual(again.chains.map((c) => c.name));
    expect(dump!.reading.counts).toEqual(eagerly(text).counts);
  });
});
