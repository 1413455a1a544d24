import { lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BaseFiles } from "@hairpin/case/index.ts";
import type { Budget } from "./budget.ts";
import { readFiles } from "./files.ts";

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
