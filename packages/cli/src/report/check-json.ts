import type { CheckReport } from "@hairpin/core/check/index.ts";
import { say, sayAny } from "@hairpin/core/messages/index.ts";

/** The object that `check --json` prints: the contract is in docs/check.md. */
export const checkJson = (report: CheckReport, skipped: readonly string[]): unknown => ({
  schema: "hairpin/check/1",
  ...(report.bundles.bundles.length === 0
    ? {}
    : {
        bundles: report.bundles.bundles,
        bundleRemarks: report.bundles.remarks.map((r) => say(r)),
        completedBy: report.bundles.commands,
      }),
  ...(report.otherDatapaths.length === 0 ? {} : { otherDatapaths: report.otherDatapaths }),
  dumps: report.dumps.map(({ title: _, ...dump }) => dump),
  notUnderstood: report.notUnderstood.map((d) => ({
    file: d.file,
    line: d.line,
    column: d.column,
    text: d.text,
    reason: d.message,
    code: d.code,
  })),
  passedOver: report.passedOver,
  contradictions: report.contradictions.map((c) => ({ ...c, text: say(c.text) })),
  differences: report.differences.map((d) => ({ ...d, text: say(d.text) })),
  missing: report.missing.map((m) => ({
    ...m,
    what: say(m.what),
    why: say(m.why),
    command: sayAny(m.command),
  })),
  seen: report.seen,
  placeholders: report.placeholders,
  notes: [
    ...report.notes.map((d) => ({ file: d.file, line: d.line, text: d.message })),
    ...skipped.map((text) => ({ file: null, line: null, text })),
  ],
});
