import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";

interface Expecting {
  readonly expect?: { readonly causes?: readonly string[] };
}

/** The source of `explain/lessons/worked-cases.ts`: for each cause the bundled cases that expect it, where it comes first ahead of the others. */
export function workedCasesSource(cases: URL): string {
  const shown = new Map<string, { readonly name: string; readonly at: number }[]>();
  for (const name of readdirSync(cases).sort()) {
    const { expect } = parse(readFileSync(new URL(`${name}/case.yaml`, cases), "utf8")) as Expecting;
    (expect?.causes ?? []).forEach((code, at) => {
      shown.set(code, [...(shown.get(code) ?? []), { name, at }]);
    });
  }
  const rows = [...shown]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([code, of]) =>
        `  ${code}: [${[...of]
          .sort((a, b) => a.at - b.at)
          .map(({ name }) => `"${name}"`)
          .join(", ")}],`,
    );
  return [
    'import type { CauseCode } from "../code.ts";',
    "",
    "/** The bundled cases (`cases/`) that show a cause. Written by `npm run lessons` from what their case.yaml expects. */",
    "export const WORKED_CASES: Readonly<Partial<Record<CauseCode, readonly string[]>>> = {",
    ...rows,
    "};",
    "",
  ].join("\n");
}
