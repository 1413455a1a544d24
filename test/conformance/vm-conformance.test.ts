import { type LabBackend, openVm, vmSupport } from "@hairpin/lab/index.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { caseNames, differences, lacking, loadConformance } from "./cases.ts";

const support = vmSupport();
if (!support.usable) console.warn(`SKIPPED: conformance in the VM: ${support.reasons.join("; ")}`);

/** What the running kernel lacks is put to the VM; with HAIRPIN_VM_ALL=1 every case is, which takes some minutes. */
const everything = process.env.HAIRPIN_VM_ALL === "1";
const names = caseNames.filter((name) => everything || lacking(loadConformance(name)).length > 0);

describe.skipIf(!support.usable || names.length === 0)("the VM's kernel does what is expected", () => {
  let lab: LabBackend;
  beforeAll(async () => {
    lab = await openVm({ onProgress: (text) => console.warn(`vm: ${text}`) });
  }, 600_000);
  afterAll(async () => {
    await lab?.close();
  });

  test.each(names)(
    "%s",
    async (name) => {
      expect(await differences(lab, loadConformance(name))).toEqual([]);
    },
    120_000,
  );
});
