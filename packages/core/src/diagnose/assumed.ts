import { text as message } from "../messages/index.ts";
import type { CaseFile } from "../model/index.ts";
import { BadRequest } from "./bad-request.ts";
import type { LoadedCase } from "./loaded-case.ts";

/** Assembly heeds them too: an assumption may stand against what a dump shows. */
export function withAssumptions(
  caseFile: CaseFile | undefined,
  assumed: ReadonlyMap<string, string>,
): CaseFile | undefined {
  if (assumed.size === 0) return caseFile;
  const origin = { kind: "assumed", rule: "--assume" } as const;
  const assume = [...assumed].map(([fact, value]) => ({ fact, value, origin }));
  const empty: CaseFile = {
    file: "",
    nodes: [],
    stacks: [],
    links: [],
    loadBalancers: [],
    listeners: [],
    assume: [],
    fixes: [],
  };
  return { ...(caseFile ?? empty), assume };
}

/** Facts the user settled; `?` leaves one open. */
export function assumptions(loaded: LoadedCase, input: readonly string[]): ReadonlyMap<string, string> {
  const settled = new Map<string, string>();
  for (const a of loaded.caseFile?.assume ?? []) if (a.value !== "?") settled.set(a.fact, a.value);
  for (const text of input) {
    const at = text.indexOf("=");
    if (at <= 0) throw new BadRequest(message("error.bad-assume", { given: text }), "assume");
    const value = text.slice(at + 1);
    if (value === "?") settled.delete(text.slice(0, at));
    else settled.set(text.slice(0, at), value);
  }
  return settled;
}
