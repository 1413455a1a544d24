import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { against } from "./against.ts";
import { bundled } from "./bundled.ts";
import { leastCpuOf } from "./cpu-of.ts";
import { generateIpset } from "./generate-ipvs.ts";

interface Child {
  readonly read: number;
  readonly sets: number;
  readonly entries?: number;
  readonly said?: number;
}

const SERVICES = 10_000;
const ENDPOINTS = 3;
const ROUNDS = 3;

/** Reading the sets of kube-proxy's IPVS mode against `ipset restore` of the same in a network namespace of its own: time of the processor. */
export async function benchIpset(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-bench-"));
  try {
    const text = generateIpset({ services: SERVICES, endpoints: ENDPOINTS });
    const file = join(folder, "ipset-save.txt");
    writeFileSync(file, text);
    console.log(
      `ipset save of 10,000 Services × 3 endpoints: ${text.split("\n").length - 1} lines, ${(text.length / 1e6).toFixed(1)} MB`,
    );
    const lazy = await bundled<Child>(
      "ipset-child.ts",
      Array.from({ length: ROUNDS }, () => [file]),
    );
    const [all] = await bundled<Child>("ipset-child.ts", [[file, "all"]]);
    const theirs = leastCpuOf(ROUNDS, "unshare", ["-n", "ipset", "restore"], file);
    const row = against("ipset restore", theirs, 1);
    row("read: its sets, and where their entries are", Math.min(...lazy.map((c) => c.read)));
    row("every entry, and what there is to say, as check does", all!.read);
    if (lazy[0]!.sets !== 2 || all!.entries !== SERVICES * (1 + ENDPOINTS) || all!.said !== 0)
      throw new Error("the sets were not read as they should be");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
