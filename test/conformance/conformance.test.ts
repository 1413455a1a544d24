import { settleable } from "@hairpin/lab/conform.ts";
import { type LabBackend, netnsSupport, openNetns } from "@hairpin/lab/index.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { caseNames, differences, lacking, loadConformance, walked } from "./cases.ts";

const support = netnsSupport();
if (!support.usable) console.warn(`SKIPPED: conformance on the running kernel: ${support.reasons.join("; ")}`);

describe("the walk gives what is expected", () => {
  test.each(caseNames)("%s", (name) => {
    const loaded = loadConformance(name);
    const { text, verdict } = walked(loaded);
    expect(settleable(loaded.exploration), "a case settles all that decides it").toEqual([]);
    expect(text).toBe(loaded.expected);
    expect(verdict).toBe(loaded.verdict);
  });
});

describe.skipIf(!support.usable)("the running kernel does what is expected", () => {
  let lab: LabBackend;
  beforeAll(async () => {
    lab = await openNetns();
  });
  afterAll(async () => {
    await lab?.close();
  });

  test.for(caseNames)("%s", async (name, { skip }) => {
    const loaded = loadConformance(name);
    const missing = lacking(loaded);
    if (missing.length > 0) skip(`the running kernel lacks ${missing.join(", ")}: asked of the VM`);
    expect(await differences(lab, loaded)).toEqual([]);
  });
});
