import type { Lang } from "./text.ts";
import { DIAGNOSTIC, diagnostics, REMARK } from "./zh/errors/diagnostics.ts";

/** What a reader said of a line: in English its own sentence, in Chinese by its code. */
export const diagnosticText = (
  { code, message, severity }: { readonly code: string; readonly message: string; readonly severity?: string },
  lang: Lang,
): string => (lang === "en" ? message : (diagnostics[code] ?? (severity === "note" ? REMARK : DIAGNOSTIC)));
