import { spawnSync } from "node:child_process";
import { mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { generateIptablesSave } from "./generate-iptables.ts";

interface Child {
  readonly parse: readonly number[];
  readonly whole: number;
  readonly peakMegabytes: number;
  readonly rules: number;
  readonly diagnostics: number;
}

const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;
const ms = (n: number): string => `${n.toFixed(0)} ms`;

/** Reading a large iptables-save, against the tool that a user would check it with. Runs alternate. */
export async function benchIptablesSave(rounds = 7): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-bench-"));
  try {
    const text = generateIptablesSave({ services: 10_000, endpoints: 3 });
    const file = join(folder, "iptables-save.txt");
    writeFileSync(file, text);
    const child = join(folder, "child.mjs");
    await build({
      entryPoints: [fileURLToPath(new URL("./iptables-save-child.ts", import.meta.url))],
      outfile: child,
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "error",
    });
    const lines = text.split("\n").length - 1;
    console.log(`iptables-save of 10,000 Services × 3 endpoints: ${lines} lines, ${(text.length / 1e6).toFixed(1)} MB`);

    const cold: Child[] = [];
    const tool: number[] = [];
    let why = "";
    for (let i = 0; i < rounds; i++) {
      cold.push(JSON.parse(spawnSync(process.execPath, [child, file], { encoding: "utf8" }).stdout) as Child);
      const start = performance.now();
      const input = openSync(file, "r");
      const done = spawnSync("iptables-legacy-restore", ["--test"], {
        stdio: [input, "pipe", "pipe"],
        encoding: "utf8",
      });
      if (done.status === 0) tool.push(performance.now() - start);
      else why = done.error?.message ?? done.stderr.trim();
    }
    const warm = JSON.parse(spawnSync(process.execPath, [child, file, "8"], { encoding: "utf8" }).stdout) as Child;
    const first = cold[0]!;
    const row = (what: string, ours: number, theirs: number | undefined) =>
      console.log(
        `  ${what.padEnd(44)} ${ms(ours).padStart(8)}${theirs === undefined ? "" : `   ${(theirs / ours).toFixed(1)} times as fast`}`,
      );
    const theirs = tool.length > 0 ? median(tool) : undefined;
    if (theirs === undefined) console.log(`  iptables-legacy-restore --test was not measured: ${why}`);
    else console.log(`  ${"iptables-legacy-restore --test".padEnd(44)} ${ms(theirs).padStart(8)}`);
    row("read with origins, new process, reading only", median(cold.map((c) => c.parse[0]!)), theirs);
    row("the same from process start to the tables", median(cold.map((c) => c.whole)), theirs);
    row("read with origins, warm", median(warm.parse.slice(2)), theirs);
    const peak = Math.max(...cold.map((c) => c.peakMegabytes));
    console.log(
      `  peak memory of the new process ${peak.toFixed(0)} MB (bound 300 MB); ${first.rules} rules, ${first.diagnostics} diagnostics`,
    );
    if (first.rules !== 110_008 || first.diagnostics !== 0) throw new Error("the dump was not read as it should be");
    if (peak > 300) throw new Error("more than 300 MB");
    if (theirs !== undefined && median(cold.map((c) => c.whole)) > theirs) throw new Error("slower than the tool");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
