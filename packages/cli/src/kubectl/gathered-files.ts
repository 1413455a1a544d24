import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Gathered, TextFile } from "@hairpin/collect/index.ts";
import { Budget } from "../case/budget.ts";
import { readFiles } from "../case/files.ts";
import { LIMITS } from "../case/limits.ts";

/** The files of all bundles that could be gathered. `folder`: of our own, for what is on its way. */
export const filesOfAll = (gathered: readonly Gathered[], folder: string): readonly TextFile[] =>
  merged(gathered.flatMap((g) => (g.ok ? [{ ...g, files: filesOf(g.bundle, folder) }] : [])));

/** The files of a bundle that came from elsewhere, read with the bounds for what strangers send. */
function filesOf(bundle: Buffer, folder: string): readonly TextFile[] {
  const path = join(folder, "bundle.tar.gz");
  writeFileSync(path, bundle);
  return readFiles([path], new Budget(LIMITS)).inputs.flatMap((i) =>
    i.text === undefined ? [] : [{ path: i.path, text: i.text }],
  );
}

interface FromMachine {
  readonly from: string;
  readonly node?: string;
  readonly files: readonly TextFile[];
}

/** A machine goes by the name it was asked for by; two of one name are told apart by how they were reached. */
function merged(all: readonly FromMachine[]): readonly TextFile[] {
  const nodes = new Map<string, string>();
  return all.flatMap(({ from, node, files }) =>
    files.map(({ path, text }) => {
      const name = /^nodes\/([^/]+)\//.exec(path)?.[1];
      if (name === undefined) return { path, text };
      const called = node ?? name;
      const owner = nodes.get(called) ?? from;
      nodes.set(called, owner);
      const folder = owner === from ? called : from.replace(/[^A-Za-z0-9._-]/g, "_");
      return { path: `nodes/${folder}/${path.slice(name.length + 7)}`, text };
    }),
  );
}
