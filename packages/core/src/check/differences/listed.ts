import type { Dump } from "../../parse/case/dump.ts";
import type { CaseInput } from "../../parse/case/input.ts";

/** Whether all of a kind was shown: `kubectl get` of several prints a List, of one that somebody picked the object itself. */
export interface Listed {
  readonly services: boolean;
  readonly endpoints: boolean;
}

const LIST = /"kind":\s*"\w*List"|^kind:[ ]*\w*List\s*$/m;
const EMPTY = /"items":\s*\[\s*\]|^items:[ ]*\[\]\s*$/m;

export function listedIn(dumps: readonly Dump[], inputs: readonly CaseInput[]): Listed {
  const lists = inputs.filter((i) => i.text !== undefined && LIST.test(i.text));
  const isList = (file: string): boolean => lists.some((i) => i.path === file);
  const empty = lists.some((i) => EMPTY.test(i.text!));
  const all = (what: keyof Listed): boolean => {
    const shown = dumps.filter((d) =>
      d.reading.facts.some((f) => f.kind === "kubernetes" && f.objects[what].length > 0),
    );
    // An empty List does not say of what.
    if (shown.length === 0) return empty;
    return shown.every(
      (d) => isList(d.file) || d.reading.facts.some((f) => f.kind === "kubernetes" && f.objects[what].length > 1),
    );
  };
  return { services: all("services"), endpoints: all("endpoints") };
}
