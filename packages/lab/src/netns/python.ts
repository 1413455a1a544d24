import { execFileSync } from "node:child_process";
import { accessSync, constants } from "node:fs";

/** The distribution's own first: version managers put slow wrappers on the PATH. */
const PLACES = ["/usr/bin/python3", "/usr/local/bin/python3"] as const;

/** A python3 of 3.6 or later, or undefined. */
export function findPython(): string | undefined {
  for (const place of [...PLACES, ...pathCandidates()]) {
    try {
      accessSync(place, constants.X_OK);
      execFileSync(place, ["-I", "-c", "import sys, ctypes; sys.exit(sys.version_info < (3, 6))"], { stdio: "ignore" });
      return place;
    } catch {}
  }
  return undefined;
}

const pathCandidates = (): readonly string[] =>
  (process.env.PATH ?? "")
    .split(":")
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => `${folder}/python3`);
