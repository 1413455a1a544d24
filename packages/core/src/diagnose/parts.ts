import { applyPatch, type PatchStep } from "../assemble/index.ts";
import type { Step, World } from "../model/index.ts";
import { shellLine } from "../model/shell.ts";
import { type Exploration, type Leg, legsOf } from "../trace/index.ts";
import type { Askable } from "./askable.ts";
import type { QuestionOptions } from "./question-options.ts";

/** One thing that a patch changes. */
export interface Part {
  /** Where it is typed. */
  readonly stack: string;
  readonly command: string;
  /** Left out, the walk is the same: nothing shows what it is good for. */
  readonly idle: boolean;
}

/** A patch as the walk takes it: which command is for which stack, several settings in one command one by one. */
export function partsOf(askable: Askable, options: QuestionOptions, commands: readonly string[]): readonly Part[] {
  const { steps } = applyPatch(askable.world, commands);
  const parts = steps.flatMap(taken);
  const typed = parts.map(({ stack, command }) => `${stack}: ${command}`);
  const whole = walkOf(askable, options, applyPatch(askable.world, typed).world);
  return parts.map((part, i) => {
    const without = applyPatch(
      askable.world,
      typed.filter((_, j) => j !== i),
    );
    // What others cannot do without has its use.
    const idle = without.problems.length === 0 && walkOf(askable, options, without.world) === whole;
    return { ...part, idle };
  });
}

function taken({ before, command, changes }: PatchStep): readonly Omit<Part, "idle">[] {
  const settings = changes.flatMap((c) => (c.kind === "sysctl" ? [c.command] : []));
  if (settings.length < 2 || settings.length < changes.length) return [{ stack: before.name, command }];
  return settings.map(({ key, value }) => ({
    stack: before.name,
    command: shellLine(["sysctl", "-w", `${key}=${value}`]),
  }));
}

const walkOf = (askable: Askable, options: QuestionOptions, world: World): string =>
  sketch(askable.ask(options, world).exploration);

/** Where things stand in their file or chain is no part of what happens to a packet. */
const PLACES: ReadonlySet<string> = new Set(["origin", "origins", "number"]);

const happened = (step: Step): boolean =>
  step.kind !== "rule" || step.effect === "matched" || step.effect === "assumed matched";

const legOf = ({ disposition, stack, step, drop, final, steps }: Leg): unknown => [
  disposition,
  stack,
  step,
  drop,
  final,
  steps.filter(happened),
];

const sketch = ({ branches }: Exploration): string =>
  JSON.stringify(
    branches.map((b) => [b.share, b.clientSees, b.errno, legsOf(b).map(legOf)]),
    (key, value: unknown) => (PLACES.has(key) ? undefined : value),
  );
