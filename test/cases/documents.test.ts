import { judge } from "@hairpin/core/trace/index.ts";
import { haveReference, referenceJson, referencePath } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Askable } from "../../packages/core/src/diagnose/index.ts";
import { hairpin } from "../check/surface.ts";

interface Expected {
  readonly question: { readonly from: string; readonly to: string; readonly proto: string };
  readonly verdict: readonly string[];
  readonly causes: readonly string[];
}

interface Diagnosis {
  readonly verdict: string;
  readonly causes: readonly { readonly code: string; readonly certainty: string }[];
  readonly settled: readonly { readonly fact: string; readonly values: readonly string[] }[];
  readonly fixes: readonly { readonly proof: { readonly verdict: string } }[];
  readonly decisiveFacts: readonly {
    readonly fact: string;
    readonly command: string | null;
    readonly outcomes: readonly { readonly value: string; readonly verdict: string }[];
  }[];
}

async function diagnosed(file: string, { from, to, proto }: Expected["question"], ...more: readonly string[]) {
  const path = referencePath("seeds", file);
  const { out, status } = await hairpin(
    "diagnose",
    path,
    "--from",
    from,
    "--to",
    to,
    "--proto",
    proto,
    "--json",
    ...more,
  );
  return { diagnosis: JSON.parse(out) as Diagnosis, status };
}

const entries = haveReference
  ? Object.entries(referenceJson<Record<string, Expected | string>>("seeds", "expected.json")).flatMap(
      ([file, expected]) => (typeof expected === "string" ? [] : [[file, expected] as const]),
    )
  : [];

/** The documents as they were published, and nothing else: the walk gets as far as their facts carry and names the rest. */
describe.skipIf(!haveReference)("given a document alone", () => {
  test.each(entries)("%s: no answer that the right one contradicts", async (file, expected) => {
    const { diagnosis } = await diagnosed(file, expected.question);
    expect(expected.verdict).toContain(diagnosis.verdict);
    const claimed = diagnosis.causes.filter((c) => c.certainty !== "possible").map((c) => c.code);
    expect(expected.causes).toEqual(expect.arrayContaining(claimed));
    expect(diagnosis.causes.map((c) => c.code)).toEqual(expect.arrayContaining([...expected.causes]));
    expect(diagnosis.decisiveFacts.filter((f) => f.command !== null)).not.toEqual([]);
  });

  const twoCards = entries.find(([file]) => file.startsWith("002_"));
  describe.skipIf(twoCards === undefined)("pods with a card of their own", () => {
    const [file, expected] = twoCards ?? ["", { question: { from: "", to: "", proto: "" }, verdict: [], causes: [] }];
    const fact = "node/sysctl/net.ipv4.conf.eth0.rp_filter";

    test("rp_filter of the main card decides, which the client's timeout settles; the command that reads it is named", async () => {
      const { diagnosis, status } = await diagnosed(file, expected.question);
      expect([diagnosis.verdict, status]).toEqual(["unreachable", 1]);
      expect(diagnosis.settled.map((s) => [s.fact, s.values])).toEqual([[fact, ["1"]]]);
      // What the captures suggest beside it stays a suspicion: the walk explains them.
      expect(diagnosis.causes.map((c) => c.certainty)).toEqual(["inferred", "inferred", "inferred", "possible"]);
      expect(diagnosis.decisiveFacts).toEqual([
        {
          fact,
          text: "the effective rp_filter of eth0 on node (the larger of all and eth0)",
          command: "sysctl net.ipv4.conf.all.rp_filter net.ipv4.conf.eth0.rp_filter",
          outcomes: [
            { value: "0", verdict: "reachable" },
            { value: "1", verdict: "unreachable" },
            { value: "2", verdict: "reachable" },
          ],
        },
      ]);
    });

    // The walk's own word; of its routes only a part was shown, so that a failure counts as one because the document shows it.
    test.each([
      ["0", "reachable"],
      ["1", "unreachable"],
      ["2", "reachable"],
    ] as const)("rp_filter %s: %s", (value, verdict) => {
      const askable = new Askable(loadCase([referencePath("seeds", file)]), [`${fact}=${value}`]);
      const { exploration } = askable.ask(expected.question);
      expect(exploration.facts).toEqual([]);
      expect(judge(exploration, true).verdict).toBe(verdict);
    });

    test("the published cure works", async () => {
      const { diagnosis } = await diagnosed(
        file,
        expected.question,
        "--try",
        "sysctl -w net.ipv4.conf.eth0.rp_filter=2",
      );
      // What was typed comes before what is proposed.
      expect(diagnosis.fixes[0]?.proof.verdict).toBe("reachable");
    });

    test("rp_filter 1, asked on the command line: unreachable", async () => {
      const { diagnosis, status } = await diagnosed(file, expected.question, "--assume", `${fact}=1`);
      expect([diagnosis.verdict, status]).toEqual(["unreachable", 1]);
    });
  });
});
