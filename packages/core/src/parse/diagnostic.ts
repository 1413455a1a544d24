import { lineNumber, type Source } from "./source.ts";

/**
 * error: the line was not understood and nothing was taken from it; warning: understood in part, the rest is kept as
 * unknown; note: worth knowing (a lossy form, a value that looks damaged). Readers collect these and go on; they never throw.
 */
export type Severity = "error" | "warning" | "note";

export interface Diagnostic {
  /** Stable, kebab-case, prefixed by the dialect: `iptables-unknown-option`. */
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  /** Counts from 1; the caret points here. */
  readonly column: number;
  readonly length: number;
  readonly text: string;
}

export function diagnose(
  source: Source,
  index: number,
  column: number,
  code: string,
  message: string,
  options: { readonly severity?: Severity; readonly length?: number } = {},
): Diagnostic {
  return {
    code,
    severity: options.severity ?? "error",
    message,
    file: source.file,
    line: lineNumber(source, index),
    column: column + 1 + (source.shift?.[index] ?? 0),
    length: options.length ?? 1,
    text: source.lines[index] ?? "",
  };
}
