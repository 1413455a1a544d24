import { say, sayAny } from "../../messages/index.ts";
import { groundId } from "../../model/index.ts";
import type { Fix } from "../../remedy/index.ts";
import { groundsOf } from "../../trace/index.ts";
import type { Tried } from "../fixes.ts";

/** One entry of `fixes` in `diagnose --json`. */
export const fixJson = (fix: Fix): Record<string, unknown> => ({
  code: fix.code,
  summary: say(fix.summary),
  cures: fix.cures,
  where: fix.where.map((w) => sayAny(w)),
  ...(fix.atRoot !== undefined && { atRoot: { how: say(fix.atRoot.how), commands: fix.atRoot.lines } }),
  commands: fix.commands,
  undo: fix.undo,
  lasting: fix.lasting.map(({ how, lines }) => [say(how), ...lines].join("\n")),
  costs: fix.costs.map((c) => say(c)),
  proof: {
    verdict: fix.proof.verdict,
    restsOn: fix.proof.verdict === "reachable" ? groundsOf(fix.proof.exploration).map(groundId) : [],
    flowsChecked: fix.proof.flowsChecked,
    flowsBounded: fix.proof.flowsBounded,
    flowsChanged: fix.proof.flowsChanged.map((f) => ({ ...f, detail: say(f.detail) })),
    kernel: null,
  },
});

/** What was typed, and behind it the nearest rule that matches, where a typed one matches nothing. */
export function triedJson({ patch, commands, judgement, fix }: Tried): readonly unknown[] {
  if (fix === undefined) {
    const proof = { verdict: judgement.verdict, flowsChecked: 0, flowsChanged: [], kernel: null };
    const rest = { where: [], undo: [], lasting: [], costs: [], proof };
    return [{ code: "TRIED", summary: `as typed: ${patch}`, commands, ...rest }];
  }
  const remarks = { remarks: fix.remarks.map((r) => say(r)) };
  return [{ ...fixJson(fix), ...remarks }, ...(fix.nearest === undefined ? [] : [fixJson(fix.nearest)])];
}
