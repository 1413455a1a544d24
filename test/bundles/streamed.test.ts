import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { generateIptablesSave } from "../../bench/generate-iptables.ts";
import { readingOnce } from "../../packages/cli/src/case/budget.ts";
import { SWEEP_LIMITS } from "../../packages/cli/src/case/limits.ts";
import { loadCase } from "../../packages/cli/src/case/load.ts";

const MiB = 2 ** 20;
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Nodes with rules of their own each, made by `of`. */
function caseOf(nodes: number, of: (node: number) => string): string {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-streamed-"));
  folders.push(folder);
  for (let n = 0; n < nodes; n++) {
    mkdirSync(join(folder, `nodes/n${n}`), { recursive: true });
    writeFileSync(join(folder, `nodes/n${n}/iptables-save.txt`), of(n));
  }
  return folder;
}

const load = (folder: string, limits: typeof SWEEP_LIMITS) =>
  loadCase([folder], limits, undefined, { readBefore: readingOnce(limits) });

describe("rules of many nodes, read one by one", () => {
  const text = generateIptablesSave({ services: 700, endpoints: 3 });
  const limits = { ...SWEEP_LIMITS, totalBytes: 3 * MiB, streamedBytes: 16 * MiB };

  it("may be more than a case may have, where nodes have them in common", () => {
    expect(text.length).toBeGreaterThan(MiB);
    const loaded = load(
      caseOf(8, (n) => text.replaceAll("[0:0]", `[${n}:${n}]`)),
      limits,
    );
    expect(loaded.reading.dumps).toHaveLength(8);
    expect(loaded.inputs.every((i) => i.digest !== undefined)).toBe(true);
  });

  it("meet the bound of what is kept, where they have nothing in common", () => {
    const folder = caseOf(8, (n) => text.replaceAll("service-", `service-of-${n}-`));
    expect(() => load(folder, limits)).toThrow(/3 MiB/);
  });

  it("meet the bound of what is read", () => {
    expect(() =>
      load(
        caseOf(8, () => text),
        { ...limits, streamedBytes: 5 * MiB },
      ),
    ).toThrow(/5 MiB/);
  });

  it("are kept as they are by whoever does not sweep", () => {
    const loaded = load(
      caseOf(2, () => text),
      { ...limits, streamedBytes: 0 },
    );
    expect(loaded.inputs.every((i) => i.digest === undefined)).toBe(true);
  });
});
