import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundled } from "./bundled.ts";
import { leastCpuOf } from "./cpu-of.ts";
import { generateIptablesSave } from "./generate-iptables.ts";

interface Child {
  readonly read: number;
  readonly whole: number;
  readonly peakMegabytes: number;
  readonly chains: number;
  readonly rules: number;
  readonly said: number;
}

const ROUNDS = 5;
const ms = (n: number): string => `${n.toFixed(0)} ms`;
const leastOf = (numbers: readonly number[]): number => Math.min(...numbers);

/** Reading a node of 10,000 Services against `iptables-legacy-restore --test` of the same: time of the processor, all threads. */
export async function benchIptablesSave(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-bench-"));
  try {
    const text = generateIptablesSave({ services: 10_000, endpoints: 3 });
    const file = join(folder, "iptables-save.txt");
    writeFileSync(file, text);
    console.log(
      `iptables-save of 10,000 Services × 3 endpoints: ${text.split("\n").length - 1} lines, ${(text.length / 1e6).toFixed(1)} MB`,
    );
    const lazy = await bundled<Child>(
      "iptables-save-child.ts",
      Array.from({ length: ROUNDS }, () => [file]),
    );
    const [all] = await bundled<Child>("iptables-save-child.ts", [[file, "all"]]);
    const theirs = leastCpuOf(3, "iptables-legacy-restore", ["--test"], file);
    const row = (what: string, ours: number) =>
      console.log(
        `  ${what.padEnd(52)} ${ms(ours).padStart(8)}${typeof theirs === "string" ? "" : `   ${(theirs / ours).toFixed(1)} times as fast`}`,
      );
    if (typeof theirs === "string") console.log(`  iptables-legacy-restore --test was not measured: ${theirs}`);
    else console.log(`  ${"iptables-legacy-restore --test".padEnd(52)} ${ms(theirs).padStart(8)}`);
    row("read: its chains, and where their rules are", leastOf(lazy.map((c) => c.read)));
    row("the same from process start", leastOf(lazy.map((c) => c.whole)));
    row("every rule, and what there is to say, as check does", all!.read);
    const peak = leastOf(lazy.map((c) => c.peakMegabytes));
    console.log(
      `  peak memory ${peak.toFixed(0)} MB (bound 120 MB); with every rule read ${all!.peakMegabytes.toFixed(0)} MB`,
    );
    if (all!.rules !== 110_008 || all!.said !== 0 || lazy[0]!.chains !== 40_008)
      throw new Error("the dump was not read as it should be");
    if (peak > 120) throw new Error("more than 120 MB");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
