import { assemble } from "@hairpin/core/assemble/index.ts";
import type { CaseFile, World } from "@hairpin/core/model/index.ts";
import { readCase } from "@hairpin/core/parse/index.ts";

/** A World from the texts of its dumps, by the path each would have in a case folder. */
export function worldOf(files: Readonly<Record<string, string>>, caseFile?: CaseFile): World {
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  return assemble(readCase(inputs, caseFile), caseFile).world;
}
