import { settleable } from "@hairpin/lab/conform.ts";
import { type LabBackend, openVm, vmSupport } from "@hairpin/lab/index.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { differences, loadConformance, VM_ROOT, vmCaseNames, walked } from "./cases.ts";

const support = vmSupport();
if (!support.usable) console.warn(`SKIPPED: conformance in the VM: ${support.reasons.join("; ")}`);

describe("the walk gives what is expected of IPVS and VLANs", () => {
  test.each(vmCaseNames)("%s", (name) => {
    const loaded = loadConformance(name, [], VM_ROOT);
    const { text, verdict } = walked(loaded);
    expect(settleable(loaded.exploration), "a case settles all that decides it").toEqual([]);
    expect(text).toBe(loaded.expected);
    expect(verdict).toBe(loaded.verdict);
  });
});

describe.skipIf(!support.usable)("the VM's kernel does what is expected", () => {
  let lab: LabBackend | undefined;
  let reason = "";
  beforeAll(async () => {
    try {
      lab = await openVm({ onProgress: (text) => console.warn(`VM: ${text}`) });
    } catch (problem) {
      // An image is made from packages, for which a registry must be reachable the first time.
      reason = (problem as Error).message;
      console.warn(`SKIPPED: conformance in the VM: ${reason}`);
    }
  }, 300_000);
  afterAll(async () => {
    await lab?.close();
  });

  test.for(vmCaseNames)("%s", { timeout: 180_000 }, async (name, { skip }) => {
    if (lab === undefined) return skip(reason);
    expect(await differences(lab, loadConformance(name, [], VM_ROOT))).toEqual([]);
  });
});
