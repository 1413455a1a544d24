import { splitLines } from "../source.ts";
import { nameHint } from "./file-name.ts";

/** A part of a text that is headed by a file's name: it is read as that file would be. */
export interface HeadedPart {
  /** The name in the heading; the text's own for what stands above the first. */
  readonly path: string;
  readonly text: string;
  /** How many lines of the text stand before it. */
  readonly before: number;
}

/** `==> nodes/a/ip-rule.txt <==`, as head(1) and tail(1) print for several files. */
const PRINTED = /^==> (\S.{0,300}) <==\s*$/;
/** `### nodes/a/ip-rule.txt`, `--- ip-rule.txt ---`, `$ cat nodes/a/ip-rule.txt`: what people put between. */
const DECORATED =
  /^(?:[=\-#*~+]{1,80} ?|[$#] (?:sudo )?cat |(?:file|File): ?)([\w./@:+-]{1,300}\.(?:txt|log|out|ya?ml|json|conf))(?: ?[=\-#*~+:]{1,80})?\s*$/;

const headOf = (line: string): string | undefined => {
  if (line.length > 400) return undefined;
  const printed = PRINTED.exec(line)?.[1];
  if (printed !== undefined) return printed;
  const path = DECORATED.exec(line)?.[1];
  return path !== undefined && (path.includes("/") || nameHint(path).words !== undefined) ? path : undefined;
};

/** A text with more of them is no paste. */
const MAX_PARTS = 2_000;

/** The parts of a text that names of files head. In Markdown a heading may stand inside a block: that is cut where blocks are. */
export function headedParts(path: string, text: string): readonly HeadedPart[] {
  const whole = [{ path, text, before: 0 }];
  if (!/^(?:==> |[=\-#*~+$]|[Ff]ile:)/m.test(text) || text.includes("```")) return whole;
  const lines = splitLines(text);
  const heads = lines.flatMap((line, i) => {
    const head = headOf(line);
    return head === undefined ? [] : [{ head, i }];
  });
  // One name alone heads nothing that would need to be kept apart.
  if (heads.length < 2 || heads.length > MAX_PARTS) return whole;
  const parts = heads.map(({ head, i }, n): HeadedPart => {
    const end = heads[n + 1]?.i ?? lines.length;
    return { path: head, text: lines.slice(i + 1, end).join("\n"), before: i + 1 };
  });
  const first = heads[0]!.i;
  return first === 0 ? parts : [{ path, text: lines.slice(0, first).join("\n"), before: 0 }, ...parts];
}
