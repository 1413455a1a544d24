import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Runs a file of this folder as it is shipped, in one piece: what loads TypeScript on the fly would be measured otherwise. */
export async function bundled<T>(
  entry: string,
  runs: readonly (readonly string[])[],
  // What requires parts of Node by itself is no ES module.
  format: "esm" | "cjs" = "esm",
): Promise<readonly T[]> {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-bench-"));
  try {
    const outfile = join(folder, format === "esm" ? "bench.mjs" : "bench.cjs");
    await build({
      entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
      bundle: true,
      platform: "node",
      format,
      outfile,
      logLevel: "error",
    });
    return runs.map((args) => {
      const done = spawnSync(process.execPath, [outfile, ...args], { encoding: "utf8", maxBuffer: 1 << 26 });
      if (done.status !== 0) throw new Error(done.stderr);
      return JSON.parse(done.stdout) as T;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
