import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Written beside, in a folder that nobody else can reach into, and renamed: under its name there is a whole bundle or none. */
export function writeBundle(path: string, bundle: Buffer): void {
  const part = mkdtempSync(join(dirname(path), ".hairpin-"));
  try {
    writeFileSync(join(part, "bundle"), bundle, { mode: 0o600, flag: "wx" });
    renameSync(join(part, "bundle"), path);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}
