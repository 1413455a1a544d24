import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { isEllipsis } from "../ellipsis.ts";
import type { Source } from "../source.ts";
import { machineReading } from "./uname.ts";

const MODULE = /^([\w-]{1,64})\s+\d{1,12}(?:\s+-?\d{1,9}(?:\s|$)|$)/;

/** `lsmod` and /proc/modules. Without its heading, or through grep, it is not all of it. */
export function readLsmod(source: Source, context: DumpContext): Reading {
  const diagnostics: Diagnostic[] = [];
  const modules: string[] = [];
  let whole = context.partial === undefined && context.command !== undefined;
  for (const [index, line] of source.lines.entries()) {
    const text = line.trim();
    if (text === "") continue;
    if (/^Module\s+Size\s+Used by$/.test(text)) {
      whole = context.partial === undefined;
      continue;
    }
    const module = MODULE.exec(text.slice(0, 200));
    if (module !== null) modules.push(module[1]!);
    else {
      whole = false;
      if (isEllipsis(text)) continue;
      diagnostics.push(diagnose(source, index, 0, "lsmod-bad-line", "not a module", { length: line.length }));
    }
  }
  const extent = whole ? "whole" : "partial";
  const read = machineReading({ modules, modulesExtent: extent }, diagnostics);
  return { ...read, counts: { modules: modules.length } };
}
