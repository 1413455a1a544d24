import type { AttachedProgram, Extent } from "../../model/index.ts";
import type { Reading } from "../dialect.ts";

export const programsReading = (programs: readonly AttachedProgram[], extent: Extent): Reading => ({
  facts: [{ kind: "programs", programs, extent }],
  diagnostics: [],
  counts: { programs: programs.length },
});
