import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * The reference material (seeds, incidents, corpora, kube-proxy cases) is not part of the project: tests over it run
 * where HAIRPIN_REFERENCE points to it, and are skipped elsewhere.
 */
const root = process.env.HAIRPIN_REFERENCE;

export const haveReference = root !== undefined && existsSync(root);
export const referencePath = (...parts: string[]): string => join(root ?? "", ...parts);
export const referenceText = (...parts: string[]): string => readFileSync(referencePath(...parts), "utf8");
export const referenceJson = <T>(...parts: string[]): T => JSON.parse(referenceText(...parts)) as T;

export function referenceFiles(...parts: string[]): string[] {
  if (!haveReference) return [];
  const top = referencePath(...parts);
  const walk = (dir: string): string[] =>
    readdirSync(dir).flatMap((name) => {
      const path = join(dir, name);
      return statSync(path).isDirectory() ? walk(path) : [path];
    });
  return walk(top).sort();
}
