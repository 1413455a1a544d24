import { readdirSync } from "node:fs";
import { haveReference, referenceJson, referencePath } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Askable, type Diagnosis, diagnose, type LoadedCase } from "../../packages/core/src/diagnose/index.ts";
import { readCase } from "../../packages/core/src/parse/index.ts";

interface Probe {
  readonly id: string;
  readonly from: string;
  readonly addr: string;
  readonly to?: string;
  readonly proto?: string;
  readonly args?: readonly string[];
  readonly real: Readonly<Record<string, number>>;
}

/** What a real cluster did, as a verdict: `connected, error: EOF` is a connection, too. */
function verdictOf({ real }: Probe): string {
  const worked = Object.keys(real).map((outcome) => /^(?:ok|connected)/.test(outcome));
  return worked.every(Boolean) ? "reachable" : worked.some(Boolean) ? "intermittent" : "unreachable";
}

/** The same case without the connection tables, which were taken after the probes. */
function withoutConnections({ inputs, caseFile, notes }: LoadedCase): LoadedCase {
  const left = inputs.filter((i) => !/\/conntrack-L\.txt$/.test(i.path));
  return { inputs: left, reading: readCase(left, caseFile), notes, ...(caseFile !== undefined && { caseFile }) };
}

/** Open is honest where it says what to run next. */
const saysWhatToRun = ({ restsOn, judgement, causes }: Diagnosis): boolean =>
  restsOn.some((r) => r.command !== "") ||
  judgement.decisiveFacts.some((f) => f.command !== null) ||
  causes.some((c) => c.check !== undefined);

describe.skipIf(!haveReference)("a real cluster, and what really happened", () => {
  const folders = haveReference
    ? readdirSync(referencePath("cluster"), { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? [e.name] : []))
    : [];
  describe.each(folders)("%s", (folder) => {
    const loaded = loadCase([referencePath("cluster", folder, "case")]);
    const probes = referenceJson<readonly Probe[]>("cluster", folder, "probes.json");
    describe.each([
      ["with connection tables", loaded],
      ["without", withoutConnections(loaded)],
    ] as const)("%s", (_, given) => {
      const askable = new Askable(given, []);
      test.each(probes.map((p) => [p.id, p] as const))("%s", (_id, probe) => {
        const node = probe.args?.[1];
        const asked = { from: probe.from === "ext" ? "192.0.2.10" : probe.from, to: probe.to ?? probe.addr };
        const proto = probe.proto ?? "tcp";
        const answer = diagnose(askable, { ...asked, proto, ...(node !== undefined && { node }) });
        const { verdict } = answer.judgement;
        if (verdict === "undetermined") expect(saysWhatToRun(answer)).toBe(true);
        else expect(verdict).toBe(verdictOf(probe));
      });
    });
  });
});
