import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Askable, diagnose, diagnosisJson } from "@hairpin/core/diagnose/index.ts";
import { dumpCluster } from "@hairpin/testing/dumped/cluster.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CaseTooLarge } from "./budget.ts";
import { LIMITS } from "./limits.ts";
import { loadCase } from "./load.ts";
import { loadAny } from "./load-large.ts";

let top = "";
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), "hairpin-large-"));
  for (const { path, text } of dumpCluster({ nodes: 3, pods: 1, services: 1200, endpoints: 2, local: 0 }, false)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  }
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

test("a case that does not fit is asked all the same, with the same answer", () => {
  const small = { ...LIMITS, totalBytes: 1 << 20 };
  expect(() => loadCase([top], small)).toThrow(CaseTooLarge);
  const asked = { from: "node/node-1", to: "10.96.0.10:80" };
  const answers = [loadCase([top], LIMITS, asked), loadAny([top], asked, small)].map((loaded) => {
    const askable = new Askable(loaded, []);
    return diagnosisJson(diagnose(askable, asked), (file, line) => askable.quote(file, line));
  });
  expect(answers[1]).toEqual(answers[0]);
  expect(JSON.stringify(answers[0])).toContain("iptables-save.txt");
});
