import { applyPatch, type PatchStep } from "../../assemble/index.ts";
import { type Text, text } from "../../messages/index.ts";
import { shellWords } from "../../parse/shell-words.ts";
import { decisiveLeg, type Exploration, judge } from "../../trace/index.ts";
import type { Case } from "../case.ts";
import type { Candidate, Command, Fix } from "../fix.ts";
import { fixOf } from "../fix-of.ts";
import type { FlowBook } from "../flow-book.ts";
import { walkAgain, walkWith } from "../proof.ts";
import { missed } from "./nearest.ts";

/** A patch that somebody typed, judged as a proposed one is. */
export interface TypedFix extends Fix {
  /** What it does not do: rules that no packet meets, values that were so before. Empty where every part has its effect. */
  readonly remarks: readonly Text[];
  /** The nearest rule that a packet does meet, with a proof of its own. */
  readonly nearest?: Fix;
}

/** Judges commands that the World takes: proof, other flows, costs; and what of it meets nothing. */
export function judgeTyped(
  input: Case,
  patch: string,
  commands: readonly string[],
  book: FlowBook,
  toCome: number,
): TypedFix {
  const { exploration, question } = input;
  const patched = applyPatch(exploration.world, commands);
  const after = walkAgain(exploration, patched.world, question);
  const typed = commandsOf(patched.steps);
  const candidate: Candidate = { code: "TRIED", summary: text("fix.tried", { patch }), commands: typed };
  const fix = fixOf(input, book, { candidate, cures: [], patched, after, recorded: () => after }, toCome + 1);
  const misses = patched.steps.flatMap((step) => {
    const miss = missed(step, patched.world, exploration, after, question);
    return miss === undefined ? [] : [{ step, miss }];
  });
  const remarks = [
    ...misses.flatMap(({ step, miss }) => [text("try.matches_nothing", { command: step.command }), ...miss.why]),
    ...patched.steps.flatMap(unused(after)),
  ];
  const nearest = misses.length === 0 ? undefined : nearestOf(input, misses, patched.steps, book, toCome);
  // What does not help need not last.
  const lasting = fix.proof.verdict === "reachable" ? fix.lasting : [];
  return { ...fix, lasting, remarks, ...(nearest !== undefined && { nearest }) };
}

/** A field of a Service is set once, however many nodes follow it. */
function commandsOf(steps: readonly PatchStep[]): readonly Command[] {
  const commands = steps.map(({ changes, before, command: line }): Command => {
    const words = shellWords(line).map((w) => w.text);
    const ofCluster = changes.some((c) => c.kind === "service");
    return { stack: ofCluster ? "" : before.name, words, typed: line };
  });
  return commands.filter((c, i) => c.stack !== "" || commands.findIndex((d) => d.typed === c.typed) === i);
}

/** Each rule that met nothing in turn replaced by its neighbours, the rest as typed; the first that helps, else the nearest. */
function nearestOf(
  supplied: Case,
  misses: readonly { readonly step: PatchStep; readonly miss: { readonly nearest: readonly Candidate[] } }[],
  steps: readonly PatchStep[],
  book: FlowBook,
  toCome: number,
): Fix | undefined {
  const trials = misses.flatMap(({ step, miss }) =>
    miss.nearest.flatMap((candidate) => {
      const commands = steps.flatMap((s): readonly Command[] => (s === step ? candidate.commands : commandsOf([s])));
      const whole = { ...candidate, commands };
      const walked = walkWith(supplied.exploration, supplied.question, whole);
      return walked === undefined ? [] : [{ candidate: whole, cures: [], ...walked }];
    }),
  );
  const best = trials.find((t) => judge(t.after).verdict === "reachable") ?? trials[0];
  return best === undefined ? undefined : fixOf(supplied, book, best, toCome);
}

/** Settings that were so before, and routes and rules that decide nothing for this flow. */
const unused =
  (after: Exploration) =>
  (step: PatchStep): readonly Text[] =>
    step.changes.flatMap((change): Text[] => {
      if (change.kind === "sysctl") {
        const { key, value } = change.command;
        return step.before.sysctls.get(key)?.value === value ? [text("try.already", { key, value })] : [];
      }
      if (change.kind === "offload") return [text("try.not_walked", { command: step.command })];
      if (change.kind !== "ip" || (change.command.kind !== "rule" && change.command.kind !== "route")) return [];
      if (change.command.kind === "rule" && change.command.verb !== "add") return [];
      const { origin } = change.command;
      const used = after.branches.some((b) =>
        [b.request, b.reply, ...b.data, decisiveLeg(b)].some((leg) =>
          leg?.steps.some((s) => "origins" in s && s.origins.includes(origin)),
        ),
      );
      return used ? [] : [text("try.routes_nothing", { command: step.command })];
    });
