import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { generateNft } from "./generate-nft.ts";

interface Child {
  readonly parse: readonly number[];
  readonly whole: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly diagnostics: number;
}

const SERVICES = 10_000;
const ENDPOINTS = 3;
const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;

/** Reading a large ruleset, against `nft -c -f`, in a network namespace of its own. Runs alternate. */
export async function benchNft(rounds = 3): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-bench-"));
  try {
    const text = generateNft({ services: SERVICES, endpoints: ENDPOINTS });
    const file = join(folder, "ruleset.nft");
    writeFileSync(file, text);
    const child = join(folder, "child.mjs");
    await build({
      entryPoints: [fileURLToPath(new URL("./nft-child.ts", import.meta.url))],
      outfile: child,
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "error",
    });
    console.log(
      `nftables ruleset of 10,000 Services × 3 endpoints: ${text.split("\n").length - 1} lines, ${(text.length / 1e6).toFixed(1)} MB`,
    );
    const cold: Child[] = [];
    const tool: number[] = [];
    let why = "";
    for (let i = 0; i < rounds; i++) {
      cold.push(JSON.parse(spawnSync(process.execPath, [child, file], { encoding: "utf8" }).stdout) as Child);
      const start = performance.now();
      const done = spawnSync("unshare", ["-n", "nft", "-c", "-f", file], { encoding: "utf8" });
      if (done.status === 0) tool.push(performance.now() - start);
      else why = done.error?.message ?? done.stderr.trim().slice(0, 200);
    }
    const theirs = tool.length > 0 ? median(tool) : undefined;
    const row = (what: string, ours: number) =>
      console.log(
        `  ${what.padEnd(44)} ${ours.toFixed(0).padStart(6)} ms${theirs === undefined ? "" : `   ${(theirs / ours).toFixed(1)} times as fast`}`,
      );
    if (theirs === undefined) console.log(`  nft -c -f was not measured: ${why}`);
    else console.log(`  ${"nft -c -f".padEnd(44)} ${theirs.toFixed(0).padStart(6)} ms`);
    row("read with origins, new process, reading only", median(cold.map((c) => c.parse[0]!)));
    row("the same from process start to the tables", median(cold.map((c) => c.whole)));
    const { counts, diagnostics } = cold[0]!;
    if (diagnostics !== 0 || counts.rules !== SERVICES * (2 + 2 * ENDPOINTS) + 4 || counts.elements !== 2 * SERVICES)
      throw new Error("the ruleset was not read as it should be");
    if (theirs !== undefined && median(cold.map((c) => c.whole)) > theirs) throw new Error("slower than nft");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
