import { Askable, type LoadedCase } from "../diagnose/index.ts";

/** The flow that case.yaml asks about, and what its asker sees, say nothing of the others. */
export function sweepable(loaded: LoadedCase, assume: readonly string[]): Askable {
  const { caseFile } = loaded;
  if (caseFile === undefined) return new Askable(loaded, assume);
  const { question: _, ...rest } = caseFile;
  return new Askable({ ...loaded, caseFile: rest }, assume);
}
