import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LoadedCase } from "@hairpin/core/diagnose/index.ts";
import { Askable, type QuestionOptions } from "@hairpin/core/diagnose/index.ts";
import { loadCase } from "../../packages/cli/src/case/load.ts";

export const CASES = fileURLToPath(new URL("../../cases/", import.meta.url));

export interface Bundled {
  readonly name: string;
  readonly path: string;
  readonly loaded: LoadedCase;
  readonly askable: Askable;
}

/** A case folder, read as the command line reads it. */
export function openCase(path: string): Bundled {
  const loaded = loadCase([path]);
  return { name: path.replace(/^.*\//, ""), path, loaded, askable: new Askable(loaded, []) };
}

export const bundledCases = (): readonly Bundled[] =>
  readdirSync(CASES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => openCase(join(CASES, entry.name)));

/** One thing a case is asked: its question, once more with each fix, and its controls. */
export interface Asking {
  readonly name: string;
  readonly options: QuestionOptions;
  readonly fix?: string;
  readonly verdict: string | undefined;
}

export function askings({ loaded }: Bundled): readonly Asking[] {
  const { caseFile } = loaded;
  if (caseFile === undefined) return [];
  return [
    { name: "as it is", options: {}, verdict: caseFile.expect?.verdict },
    ...caseFile.fixes.map((fix) => ({
      name: `with ${fix.name}`,
      options: {},
      fix: fix.name,
      verdict: fix.verdict ?? "reachable",
    })),
    ...(caseFile.controls ?? []).map(({ name, question, verdict }) => {
      const { origin: _, ...options } = question;
      return { name: `${name}, for comparison`, options, verdict };
    }),
  ];
}

export const worldOf = ({ askable }: Bundled, { fix }: Asking) =>
  fix === undefined ? askable.world : askable.patched(fix).world;
