import type { DumpContext } from "../dialect.ts";

/**
 * What filters have done to a listing. `none`: nothing; `windows`: lines that stood together still do (grep -A, head,
 * tail), so that what lies between two services is all there; `picked`: any line may be missing anywhere.
 */
export type Filtering = "none" | "windows" | "picked";

const WINDOWS = /^(?:head|tail|less|more|cat|tee|column)$/;

const grepsWithContext = (words: readonly string[]): boolean =>
  words.some((w) => /^-(?:[a-zA-Z]*[ABC]\d*|\d+)$/.test(w) || /^--(?:after-context|before-context|context)\b/.test(w));

export function filteringOf(context: DumpContext, separated: boolean): Filtering {
  if (context.filters !== undefined && context.filters.length > 0) {
    const windows = context.filters.every(([tool = "", ...words]) => {
      const name = tool.slice(tool.lastIndexOf("/") + 1);
      return WINDOWS.test(name) || (/grep$/.test(name) && grepsWithContext(words));
    });
    return windows ? "windows" : "picked";
  }
  if (separated) return "windows";
  return context.partial === undefined
    ? "none"
    : /head|tail|less|more/.test(context.partial.value)
      ? "windows"
      : "picked";
}
