import { existsSync } from "node:fs";
import { relative } from "node:path";
import { referenceFiles, referencePath, referenceText } from "@hairpin/testing/reference.ts";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import type { LoadedCase } from "../../packages/core/src/diagnose/index.ts";
import { readCase } from "../../packages/core/src/parse/index.ts";

/** How the same evidence comes in: as a folder, or as one pasted text. */
export interface Form {
  readonly name: string;
  /** Undefined: this incident has no such form. */
  readonly load: (folder: string, incident: string) => LoadedCase | undefined;
}

const dumpsOf = (folder: string, incident: string): readonly (readonly [path: string, text: string])[] =>
  referenceFiles(folder, incident, "dumps").map((file) => {
    const path = relative(referencePath(folder, incident, "dumps"), file);
    return [path, referenceText(folder, incident, "dumps", path)];
  });

const pasted = (text: string): LoadedCase => {
  const inputs = [{ path: "pasted.txt", text }];
  return { inputs, reading: readCase(inputs), notes: [] };
};

export const FORMS: readonly Form[] = [
  { name: "folder", load: (folder, incident) => loadCase([referencePath(folder, incident, "dumps")]) },
  {
    // As head(1) and tail(1) print several files.
    name: "headed",
    load: (folder, incident) =>
      pasted(
        dumpsOf(folder, incident)
          .map(([path, text]) => `==> ${path} <==\n${text}\n`)
          .join(""),
      ),
  },
  {
    name: "bare",
    load: (folder, incident) =>
      pasted(
        dumpsOf(folder, incident)
          .map(([, text]) => `${text}\n`)
          .join("\n"),
      ),
  },
  {
    name: "issue",
    load: (folder, incident) =>
      existsSync(referencePath(folder, incident, "issue.md"))
        ? pasted(referenceText(folder, incident, "issue.md"))
        : undefined,
  },
];
