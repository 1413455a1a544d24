import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hairpin } from "../check/surface.ts";

const cases = resolve(import.meta.dirname, "../../cases");
const FACT = "node-1/sysctl/net.ipv4.conf.eth0.rp_filter";

/** The bundled case of the two cards, with everything about source validation cut out of its dumps. */
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hairpin-instrument-"));
  cpSync(join(cases, "pod-to-lb-two-cards"), folder, { recursive: true });
  const sysctls = join(folder, "nodes/node-1/sysctl.txt");
  writeFileSync(sysctls, readFileSync(sysctls, "utf8").replace(/^.*rp_filter.*\n/gm, ""));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Json {
  readonly confirms: boolean;
  readonly nodes: readonly {
    readonly node: string;
    readonly add: readonly string[];
    readonly remove: readonly string[];
    readonly script: string;
  }[];
  readonly probes: readonly { readonly id: string; readonly place: string }[];
  readonly predictions: readonly {
    readonly hypothesis: Record<string, string>;
    readonly verdict: string;
    readonly seen: Record<string, string>;
  }[];
}
const asked = async (...options: string[]): Promise<Json> =>
  JSON.parse((await hairpin("instrument", folder, "--json", ...options)).out) as Json;

const log = (id: string, hook: string): string =>
  `[ 100.${id.length}] hairpin-${id} ${hook}: IN=eth0 OUT=eth1 MAC=aa SRC=10.0.0.1 DST=10.0.0.2 LEN=60 TOS=0x00 PREC=0x00 TTL=63 ID=1 DF PROTO=TCP SPT=80 DPT=40000 WINDOW=1 RES=0x00 ACK SYN URGP=0\n`;

describe("instrument", () => {
  test("two rules tell a strict check from a loose one", async () => {
    const plan = await asked();
    expect(plan.probes.map((p) => p.place)).toEqual(["node-1 PREROUTING, request", "node-1 FORWARD, reply"]);
    const [first, second] = plan.probes.map((p) => p.id);
    const byValue = new Map(plan.predictions.map((p) => [p.hypothesis[FACT], p]));
    expect(byValue.get("1")).toMatchObject({
      verdict: "unreachable",
      seen: { [first!]: "always", [second!]: "never" },
    });
    expect([...byValue.values()].find((p) => p.verdict === "reachable")?.seen).toEqual({
      [first!]: "always",
      [second!]: "always",
    });
  });

  test("every rule is narrow, limited, first in its chain, and taken away by the same words", async () => {
    for (const method of ["log", "trace"]) {
      const { nodes } = await asked("--method", method);
      for (const { add, remove } of nodes) {
        expect(add).toHaveLength(remove.length);
        for (const rule of add) {
          expect(rule).toMatch(/ -I \w+ 1 -p tcp .*-[sd] [\d.]+ .*--limit 10\/second/);
          expect(remove).toContain(rule.replace(/ -I (\w+) 1 /, " -D $1 "));
        }
        expect([...add, ...remove].join("\n")).not.toMatch(/ -F| -X|flush/);
      }
    }
  });

  test("what the rules print rules hypotheses out", async () => {
    const [first, second] = (await asked()).probes.map((p) => p.id) as [string, string];
    const paste = async (text: string) => {
      writeFileSync(join(folder, "nodes/node-1/kernel.log"), text);
      const { out } = await hairpin("diagnose", folder, "--json");
      rmSync(join(folder, "nodes/node-1/kernel.log"));
      return JSON.parse(out) as { verdict: string; decisiveFacts: { fact: string }[] };
    };
    expect((await paste("")).decisiveFacts.map((f) => f.fact)).toEqual([FACT]);
    expect(await paste(log(first, "PREROUTING"))).toMatchObject({
      verdict: "unreachable",
      decisiveFacts: [],
      settled: [{ fact: FACT, values: ["1"], because: expect.stringContaining("kernel.log:1") }],
    });
    expect((await paste(log(first, "PREROUTING") + log(second, "FORWARD"))).verdict).toBe("reachable");
    // Lines that are not of our rules, and a silence in which nobody may have looked, prove nothing.
    expect((await paste(log("000000", "FORWARD"))).verdict).toBe("undetermined");
  });

  test("where nothing is open, the last place before the end confirms the answer", async () => {
    const { out, status } = await hairpin("instrument", join(cases, "pod-to-lb-two-cards"), "--json");
    const plan = JSON.parse(out) as Json;
    expect(status).toBe(0);
    expect(plan.confirms).toBe(true);
    expect(plan.probes.at(-1)?.place).toMatch(/reply$/);
  });

  test("a node where nothing is laid is refused with those there are", async () => {
    const { status, err } = await hairpin("instrument", folder, "--script", "nowhere");
    expect(status).toBe(64);
    expect(err).toContain("node-1");
  });
});
