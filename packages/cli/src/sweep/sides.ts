import { expectedWorld, inMode, type MovedMode } from "@hairpin/core/assemble/index.ts";
import type { Askable } from "@hairpin/core/diagnose/index.ts";
import { isModelled, NEWEST_MODELLED, OLDEST_MODELLED, parseVersion } from "@hairpin/core/kubernetes/index.ts";
import { type Lang, text as message, say, sayAny, type Text } from "@hairpin/core/messages/index.ts";
import type { World } from "@hairpin/core/model/index.ts";
import type { SweepSide } from "@hairpin/core/sweep/index.ts";
import { readingOnce } from "../case/budget.ts";
import { SWEEP_LIMITS } from "../case/limits.ts";
import { loadCase } from "../case/load.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { askableOf } from "./run.ts";

interface Changes {
  readonly assume: readonly string[];
  readonly try: readonly string[];
  readonly mode?: MovedMode;
  readonly kubeProxy?: string;
}

type Side = SweepSide & { readonly title: string };
export interface ComparedSides {
  readonly a: Side;
  readonly b: Side;
}

/** Two cases, or one and a change to it; undefined where there is nothing to compare. */
export function sidesOf(paths: readonly string[], options: Changes, lang: Lang): ComparedSides | undefined {
  const { assume, mode, kubeProxy } = options;
  const readBefore = readingOnce(SWEEP_LIMITS);
  const ask = (path: string): Askable => askableOf(loadCase([path], SWEEP_LIMITS, undefined, { readBefore }), assume);
  const changed = [options.try.length > 0, mode !== undefined, kubeProxy !== undefined].filter(Boolean).length;
  if (changed === 0 && paths.length !== 2) {
    if (paths.length > 2) throw new Failure(EXIT.usage, message("error.sweep-too-many", { count: paths.length }));
    return undefined;
  }
  const [first, second] = paths;
  if (second !== undefined) {
    if (changed > 0) throw new Failure(EXIT.usage, message("error.sweep-two-as-is"));
    return { a: { title: first!, askable: ask(first!) }, b: { title: second, askable: ask(second) } };
  }
  if (first === undefined) throw new Failure(EXIT.usage, message("error.sweep-say-case"));
  if (changed > 1) throw new Failure(EXIT.usage, message("error.sweep-one-change"));
  const askable = ask(first);
  const { world, how } = changedWorld(askable, options);
  if ("id" in world) throw new Failure(EXIT.usage, message("error.of-path", { path: first, why: world }));
  const asIs = say(message("diff.state-as-is"), lang);
  return {
    a: { title: `${first} (${asIs})`, askable },
    b: { title: `${first} (${sayAny(how, lang)})`, askable, world },
  };
}

function changedWorld(
  askable: Askable,
  options: Changes,
): { readonly world: World | Text; readonly how: string | Text } {
  const { mode, kubeProxy } = options;
  if (mode !== undefined) return { world: inMode(askable.world, mode), how: message("diff.state-mode", { mode }) };
  if (kubeProxy !== undefined) {
    const release = parseVersion(kubeProxy);
    if (release === undefined || !isModelled(release)) {
      const [oldest, newest] = [`1.${OLDEST_MODELLED.minor}`, `1.${NEWEST_MODELLED.minor}`];
      throw new Failure(EXIT.usage, message("error.bad-release", { release: kubeProxy, oldest, newest }));
    }
    return { world: expectedWorld(askable.world, release), how: `kube-proxy ${kubeProxy}` };
  }
  const world = options.try.reduce((w: World, patch) => askable.patched(patch, w).world, askable.world);
  return { world, how: options.try.join("; ") };
}
