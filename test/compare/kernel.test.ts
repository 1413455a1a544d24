import { join, resolve } from "node:path";
import { type QuestionSpec, resolveQuestion, trace } from "@hairpin/core/trace/index.ts";
import { conform, hypothesesOf, LAB_PORT } from "@hairpin/lab/conform.ts";
import { type LabBackend, netnsSupport, openNetns } from "@hairpin/lab/index.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Askable } from "../../packages/core/src/diagnose/index.ts";
import { hairpin } from "../check/surface.ts";

const root = resolve(import.meta.dirname, "../..");
const support = netnsSupport();
if (!support.usable) console.warn(`SKIPPED: diff's packets on a real kernel: ${support.reasons.join("; ")}`);

interface Side {
  readonly question: QuestionSpec;
}
interface Json {
  readonly differences: readonly { readonly a: Side; readonly b: Side }[];
}

/** The packets that diff shows a difference with are sent for real on both sides: the kernel does what each walk says. */
describe.skipIf(!support.usable)("a real kernel does with diff's packets what both walks say", () => {
  let lab: LabBackend;
  beforeAll(async () => {
    lab = await openNetns();
  });
  afterAll(() => lab?.close());

  /** Where each hypothesis led on the kernel: what the client saw, and the last hook line. */
  async function fates(folder: string, question: QuestionSpec): Promise<readonly string[]> {
    const askable = new Askable(loadCase([folder]), []);
    const asked = resolveQuestion(askable.world, { ...question, sport: LAB_PORT });
    if (asked.ok !== true) throw new Error("not a question for the lab");
    const exploration = trace(asked.world, asked.question, {});
    const seen: string[] = [];
    for (const hypothesis of hypothesesOf(exploration)) {
      const result = await conform(lab, exploration, asked.question, hypothesis);
      expect(result.observations.problems).toEqual([]);
      expect(result.differences).toEqual([]);
      seen.push(`${result.clientSees} ${result.observed.map((line) => JSON.stringify(line)).join(" ")}`);
    }
    return seen;
  }

  test("externalTrafficPolicy Cluster and Local", async () => {
    const [a, b] = ["cluster", "local"].map((side) => join(root, "docs/examples/diff", side)) as [string, string];
    const { differences } = JSON.parse((await hairpin("diff", a, b, "--json")).out) as Json;
    expect(differences.length).toBeGreaterThan(0);
    for (const one of differences.slice(0, 3)) {
      const onA = await fates(a, one.a.question);
      expect(onA).not.toEqual(await fates(b, one.b.question));
    }
  }, 60_000);
});
