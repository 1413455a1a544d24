import { type Files, filter, NODE, nat, SERVICE } from "@hairpin/testing/dumps.ts";
import { describe, expect, test } from "vitest";
import { planOf } from "../instrument/index.ts";
import { readCase } from "../parse/index.ts";
import { Askable, diagnose, diagnosisJson, inDoubt } from "./index.ts";

const QUESTION = { from: "node/a", to: SERVICE };

interface RestsOnJson {
  readonly verdict: string;
  readonly leaning: string | null;
  readonly restsOn: readonly { readonly id: string; readonly command: string; readonly otherwise: unknown }[];
}

function asked(files: Files, assume: readonly string[] = [], question: Record<string, string> = QUESTION): RestsOnJson {
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  const askable = new Askable({ inputs, reading: readCase(inputs), notes: [] }, assume);
  return diagnosisJson(diagnose(askable, question), () => undefined) as RestsOnJson;
}

const idsOf = ({ restsOn }: RestsOnJson): readonly string[] => restsOn.map((r) => r.id);

/** Client, node and all of its tables were shown; of the endpoint only the rule that sends to it. */
describe("an endpoint that only a rule names", () => {
  const answer = asked(NODE);
  test("nothing shown stops it, and that is not green", () => {
    expect([answer.verdict, answer.leaning]).toEqual(["undetermined", "reachable"]);
  });
  test("what it rests on comes with the command that settles it and with what it would be called", () => {
    const [first] = answer.restsOn;
    expect(first?.id).toMatch(/^endpoint\//);
    expect(first?.command).not.toBe("");
    expect(first?.otherwise).toMatchObject({ verdict: "unreachable", cause: "STALE_ENDPOINT" });
  });
  test("settled, it is as good as shown; settled otherwise, it fails", () => {
    const settled = answer.restsOn.map((r) => `${r.id}=${r.id.startsWith("gateway") ? "passes" : "answers"}`);
    expect(asked(NODE, settled).verdict).toBe("reachable");
    expect(asked(NODE, [`${idsOf(answer)[0]}=gone`]).verdict).toBe("unreachable");
  });
  test("instrument tells the two apart", () => {
    const inputs = Object.entries(NODE).map(([path, text]) => ({ path, text }));
    const askable = new Askable({ inputs, reading: readCase(inputs), notes: [] }, []);
    const plan = planOf(inDoubt(askable.ask(QUESTION)).exploration);
    expect(plan?.confirms).toBe(false);
    expect(plan?.predictions.map((p) => p.hypothesis.verdict).sort()).toEqual(
      expect.arrayContaining(["reachable", "unreachable"]),
    );
  });
});

describe("what was not shown is named", () => {
  const { "nodes/a/iptables-save.txt": _rules, ...noRules } = NODE;
  const { "nodes/a/ip-route.txt": _routes, ...noRoutes } = NODE;
  test.each([
    ["a table that was left out", { ...NODE, "nodes/a/iptables-save.txt": nat() }, "a/table/filter"],
    ["all tables", noRules, "a/table/nat"],
    ["routes", noRoutes, "a/routes"],
  ])("%s", (_, files, id) => {
    const answer = asked(files as Files);
    expect(answer.verdict).toBe("undetermined");
    expect(idsOf(answer)).toContain(id);
  });
  test("a table that was shown and lets pass is not among them", () => {
    expect(idsOf(asked({ ...NODE, "nodes/a/iptables-save.txt": nat() + filter() }))).not.toContain("a/table/filter");
  });
});
