import { lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CaseText } from "@hairpin/case/index.ts";
import type { CaseInput } from "@hairpin/core/parse/index.ts";
import type { Budget } from "./budget.ts";
import { readFiles } from "./files.ts";

/** The topology a case starts from: its case.yaml, and the dumps that the case's own files replace by path. */
export interface BaseFiles {
  readonly caseFile: CaseText;
  readonly dumps: readonly CaseInput[];
}

/**
 * `base: NAME` in the case.yaml of a folder is the folder NAME in `topologies` beside it, and nothing else: a case from elsewhere
 * must not be able to point at other files of the machine, so it is a name and no path, and links are not followed.
 */
export function readBase(casePath: string, name: string, budget: Budget): BaseFiles | undefined {
  if (casePath === "-") return undefined;
  const here = realpathSync(casePath);
  const topologies = join(dirname(here), "topologies");
  const folder = join(topologies, name);
  if (![here, topologies, folder].every(isFolder)) return undefined;
  const { inputs } = readFiles([folder], budget);
  const stated = inputs.find((i) => i.path === "case.yaml");
  if (stated?.text === undefined) return undefined;
  return {
    caseFile: { path: `topologies/${name}/case.yaml`, text: stated.text },
    dumps: inputs.filter((i) => i !== stated),
  };
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Both sets of files in the order in which one folder with all of them would be read. */
export function withBase(own: readonly CaseInput[], base: readonly CaseInput[]): readonly CaseInput[] {
  const files = new Map([...base, ...own].map((input) => [input.path, input] as const));
  return [...files.values()].sort((a, b) => byFolder(a.path.split("/"), b.path.split("/")));
}

function byFolder(a: readonly string[], b: readonly string[]): number {
  const i = a.findIndex((part, at) => part !== b[at]);
  if (i < 0) return 0;
  return b[i] === undefined || a[i]! > b[i]! ? 1 : -1;
}
