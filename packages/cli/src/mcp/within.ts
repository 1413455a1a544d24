import { realpathSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { text } from "@hairpin/core/messages/index.ts";
import { EXIT, Failure } from "../exit-status.ts";

/** Folders that paths may lie under, as they really are, whatever links lead to them. */
export function rootsOf(given: readonly string[]): readonly string[] {
  return given.map((folder) => {
    try {
      return realpathSync(folder);
    } catch {
      throw new Failure(EXIT.noInput, text("error.no-folder", { folder }));
    }
  });
}

const isUnder = (root: string, path: string): boolean => {
  const way = relative(root, path);
  return way === "" || (!isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`));
};

export const isWithin = (roots: readonly string[], path: string): boolean => roots.some((r) => isUnder(r, path));

/**
 * The real path of what was asked for, if it lies under a root: where links lead counts, not how it is written. What lies outside
 * and what is not there get the same answer, so that nobody can ask what else the machine has.
 */
export function pathWithin(roots: readonly string[], given: string): string {
  const tried = isAbsolute(given) ? [given] : roots.map((r) => join(r, given));
  for (const path of tried) {
    try {
      const real = realpathSync(path);
      if (isWithin(roots, real)) return real;
    } catch {}
  }
  throw new Failure(EXIT.noInput, text("error.no-file-under", { path: given, roots: roots.join(", ") }));
}
