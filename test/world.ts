import { assemble } from "../packages/core/src/assemble/index.ts";
import type { CaseFile, World } from "../packages/core/src/model/index.ts";
import { readCase } from "../packages/core/src/parse/index.ts";

/** A World from the texts of its dumps, by the path each would have in a case folder. */
export function worldOf(files: Readonly<Record<string, string>>, caseFile?: CaseFile): World {
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  return assemble(readCase(inputs, caseFile), caseFile).world;
}
