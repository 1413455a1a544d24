import { readdirSync, readFileSync } from "node:fs";
import { combine } from "@hairpin/testing/iptables/combine.ts";
import { RULE_CASES, type RuleCase } from "@hairpin/testing/iptables/lines.ts";
import { context, oneRule, rulesByChain, saveOf, shown } from "@hairpin/testing/iptables/read.ts";
import { Namespace, whyNoTools } from "@hairpin/testing/iptables/tools.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { IptablesTable } from "../../packages/core/src/model/index.ts";
import { dialects, printDocument } from "../../packages/core/src/parse/iptables/index.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";
import { random } from "./mutate.ts";

if (whyNoTools !== undefined) console.warn(`SKIPPED: iptables against the real tools: ${whyNoTools}`);

const FIXTURES = new URL("./fixtures/", import.meta.url);
const fixtures = readdirSync(FIXTURES).map((name) => ({
  name,
  family: (name.endsWith("6") ? 6 : 4) as 4 | 6,
  text: readFileSync(new URL(name, FIXTURES), "utf8"),
}));
const backends = ["legacy", "nft"] as const;
const tool = (family: 4 | 6, backend: string) => `${family === 4 ? "iptables" : "ip6tables"}-${backend}`;

/** The sets that rules name must be there before the rules can be loaded. */
function createSets(space: Namespace, tables: readonly IptablesTable[], family: 4 | 6): void {
  const types = ["hash:ip", "hash:ip,port", "hash:ip,port,ip"];
  for (const table of tables)
    for (const chain of table.chains)
      for (const rule of chain.rules)
        for (const part of [...rule.matches, rule.target])
          if (part.kind === "set") {
            const type = types[part.directions.length - 1]!;
            const args = [
              "create",
              "-exist",
              part.name,
              type,
              "family",
              family === 4 ? "inet" : "inet6",
              "timeout",
              "0",
            ];
            space.run("ipset", [...args, "skbinfo", "counters"]);
          }
}

const dialect = (id: string) => dialects.find((d) => d.id === id)!;
const tablesOf = (id: string, text: string, family: 4 | 6, table: IptablesTable["name"]) => {
  const given = context(family, { iptablesTable: { value: table, by: "command" } });
  const reading = dialect(id).read(sourceOf(id, text), given);
  const tables = reading.facts.flatMap((fact) => (fact.kind === "iptables" ? fact.tables : []));
  return { tables, diagnostics: reading.diagnostics };
};

describe.skipIf(whyNoTools !== undefined)("dumps of the real tools", () => {
  let space: Namespace;
  beforeAll(() => {
    space = new Namespace();
  });
  afterAll(() => space.remove());

  for (const { name, family, text } of fixtures)
    for (const backend of backends)
      it(`${name} through ${backend}: saved, read, printed, the same`, () => {
        const typed = saveOf(text, context(family, { iptablesBackend: { value: backend, by: "command" } }));
        expect(shown(typed.diagnostics)).toEqual([]);
        createSets(space, typed.tables, family);
        const iptables = tool(family, backend);
        const loaded = space.run(`${iptables}-restore`, [], text);
        expect(loaded.stderr).toBe("");
        for (const counters of [[], ["-c"]]) {
          const saved = space.run(`${iptables}-save`, counters).stdout;
          const read = saveOf(saved);
          expect(shown(read.diagnostics)).toEqual([]);
          expect(printDocument(read.document)).toBe(saved);
          expect(read.tables.every((t) => t.backend === backend && t.family === family && t.extent === "whole")).toBe(
            true,
          );
          const wanted = rulesByChain(typed.tables);
          const got = rulesByChain(read.tables);
          for (const [chain, rules] of wanted) expect(got.get(chain), chain).toEqual(rules);
        }
        for (const table of typed.tables) {
          const wanted = rulesByChain([table]);
          const dashS = space.run(iptables, ["-t", table.name, "-S"]).stdout;
          const listed = tablesOf("iptables-S", dashS, family, table.name);
          expect(shown(listed.diagnostics)).toEqual([]);
          expect(listed.tables[0]?.extent).toBe("whole");
          for (const [chain, rules] of wanted) expect(rulesByChain(listed.tables).get(chain), chain).toEqual(rules);
        }
        space.run(`${iptables}-restore`, [], typed.tables.map((t) => `*${t.name}\nCOMMIT\n`).join(""));
      });
});

/** What `iptables -nvL` shows of a rule and this reader does not take apart: kept as text, and said so. */
const NOT_READ_FROM_LISTING =
  /-m (?:time|hashlimit|string|osf|bpf|ecn|cluster|quota|srh|frag|dst|hbh|eui64|ipv6header|mh|rt|rateest|nfacct|devgroup|u32|ah) |--chunk-types|--dccp-types|--dccp-option|--path|--compres|--tcp-option|--ahlen|-j (?:HMARK|RATEEST|CONNSECMARK|TCPOPTSTRIP|ECN|DNPT|SNPT|LED|ULOG|SECMARK|CLUSTERIP)/;

interface Loaded {
  readonly saved: string;
  readonly listing: string;
}

/** Loads every case into a chain of its own; those that this kernel or this version of the tool refuses are missing. */
function loadCases(space: Namespace, backend: "legacy" | "nft"): ReadonlyMap<RuleCase, Loaded> {
  const out = new Map<RuleCase, Loaded>();
  const chain = (one: RuleCase) => `CASE-${RULE_CASES.indexOf(one)}`;
  const accepted = (iptables: string, cases: readonly RuleCase[]): readonly RuleCase[] => {
    if (cases.length === 0) return [];
    const heads = cases.map((one) => `:${chain(one)} - [0:0]\n`).join("");
    const rules = cases.map((one) => `-A ${chain(one)} ${one.input}\n`).join("");
    const text = `*${cases[0]!.table}\n${heads}${rules}COMMIT\n`;
    if (space.run(`${iptables}-restore`, ["--noflush"], text).status === 0) return cases;
    if (cases.length === 1) return [];
    const half = cases.length >> 1;
    return [...accepted(iptables, cases.slice(0, half)), ...accepted(iptables, cases.slice(half))];
  };
  for (const family of [4, 6] as const)
    for (const table of ["raw", "mangle", "nat", "filter", "security"] as const) {
      const iptables = tool(family, backend);
      const loaded = accepted(
        iptables,
        RULE_CASES.filter((one) => one.family === family && one.table === table),
      );
      if (loaded.length === 0) continue;
      const saved = space.run(`${iptables}-save`, ["-t", table]).stdout.split("\n");
      const listing = space.run(iptables, ["-t", table, "-nvL"]).stdout.split("\n\n");
      for (const one of loaded)
        out.set(one, {
          saved: saved.find((line) => line.startsWith(`-A ${chain(one)}`))?.slice(chain(one).length + 4) ?? "nothing",
          listing: `${listing.find((text) => text.startsWith(`Chain ${chain(one)} `))}\n`.replace(chain(one), "CASE"),
        });
    }
  return out;
}

describe.skipIf(whyNoTools !== undefined).each(backends)("every extension on the real %s tools", (backend) => {
  let space: Namespace;
  let loaded: ReadonlyMap<RuleCase, Loaded>;
  beforeAll(() => {
    space = new Namespace();
    space.run("ipset", ["create", "hairpin-1", "hash:ip,port", "timeout", "0", "counters", "skbinfo"]);
    // The rate estimator that a rule compares with.
    const estimator = ["--rateest-name", "RE7", "--rateest-interval", "250ms", "--rateest-ewmalog", "500ms"];
    space.run(tool(4, backend), ["-A", "FORWARD", "-j", "RATEEST", ...estimator]);
    loaded = loadCases(space, backend);
  });
  afterAll(() => space.remove());

  for (const one of RULE_CASES)
    it(`IPv${one.family} ${one.input}`, ({ skip }) => {
      const got = loaded.get(one);
      if (got === undefined) {
        skip(`this machine's ${backend} tool or kernel refuses it`);
        return;
      }
      expect(got.saved).toBe(one.saved);
      const { tables, diagnostics } = tablesOf("iptables-L", got.listing, one.family, one.table);
      const rule = rulesByChain(tables).get(`${one.table} CASE`)?.[0];
      if (NOT_READ_FROM_LISTING.test(`${one.saved} `)) {
        // The nft tool prints nothing at all for eui64.
        const hidden = one.saved.includes("eui64") && backend === "nft";
        expect(hidden || diagnostics.some((d) => d.severity === "warning") || rule === one.saved).toBe(true);
      } else expect(rule).toBe(one.saved);
    });

  it("refuses no more than a few of them", () => {
    const refused = RULE_CASES.filter((one) => !loaded.has(one)).map((one) => one.input);
    expect(refused.length, refused.join("\n")).toBeLessThan(20);
  });
});

describe.skipIf(whyNoTools !== undefined).each(backends)("random rules on the real %s tools", (backend) => {
  it.each([4, 6] as const)("IPv%s: read and printed as they are saved", (family) => {
    const space = new Namespace();
    try {
      space.run("ipset", ["create", "hairpin-1", "hash:ip,port", "timeout", "0", "counters", "skbinfo"]);
      const next = random(family * 1000 + backend.length);
      const specs = Array.from({ length: 150 }, () => combine(next, family));
      const iptables = tool(family, backend);
      const load = (from: number, to: number): void => {
        const heads = [":T - [0:0]"];
        const rules: string[] = [];
        for (let i = from; i < to; i++) {
          heads.push(`:C${i} - [0:0]`);
          rules.push(`-A C${i} ${specs[i]}`);
        }
        const text = ["*filter", ...heads, ...rules, "COMMIT", ""].join("\n");
        if (space.run(`${iptables}-restore`, ["--noflush"], text).status === 0 || to - from === 1) return;
        const middle = (from + to) >> 1;
        load(from, middle);
        load(middle, to);
      };
      load(0, specs.length);
      const saved = space.run(`${iptables}-save`, ["-t", "filter"]).stdout;
      const read = saveOf(saved);
      expect(shown(read.diagnostics)).toEqual([]);
      expect(printDocument(read.document)).toBe(saved);
      const rules = rulesByChain(read.tables);
      let loaded = 0;
      for (const [i, spec] of specs.entries()) {
        const { printed, complaints } = oneRule(spec, { family, backend, table: "filter" });
        const got = rules.get(`filter C${i}`)?.[0];
        if (got === undefined) {
          // The tool refused it: so must we.
          expect(complaints, spec).not.toEqual([]);
          continue;
        }
        loaded++;
        expect(complaints, spec).toEqual([]);
        expect(printed, spec).toBe(got);
      }
      expect(loaded).toBeGreaterThan(130);
    } finally {
      space.remove();
    }
  });
});
