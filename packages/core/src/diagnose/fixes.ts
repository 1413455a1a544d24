import { applyPatch, saysWhere } from "../assemble/index.ts";
import type { ClaimedCause } from "../explain/index.ts";
import { text } from "../messages/index.ts";
import { type Fix, type Flow, remedies, type Typed, type TypedFix } from "../remedy/index.ts";
import { type Judgement, judge, legsOf } from "../trace/index.ts";
import type { Askable } from "./askable.ts";
import type { Inquiry } from "./inquiry.ts";
import { cautious } from "./open/rests-on.ts";

/** What became of the flow under a patch that the user wanted tried. */
export interface Tried {
  readonly patch: string;
  readonly commands: readonly string[];
  readonly judgement: Judgement;
  /** Absent where the question is not walked. */
  readonly fix?: TypedFix;
}

/** What helps, proved, and what the patches do that the user wants tried. */
export function fixesFor(
  askable: Askable,
  inquiry: Inquiry,
  judged: Judgement,
  causes: readonly ClaimedCause[],
  patches: readonly string[],
): { readonly fixes: readonly Fix[]; readonly tried: readonly Tried[] } {
  const { question, exploration, spec } = inquiry;
  if (question === undefined) {
    const judgement = judge(exploration);
    const tried = patches.map((patch) => ({ patch, commands: askable.patched(patch).commands, judgement }));
    return { fixes: [], tried };
  }
  const { from, to, proto = "tcp", ...rest } = spec;
  const flow: Flow | undefined = from === undefined || to === undefined ? undefined : { from, to, proto, rest };
  const input = {
    world: askable.world,
    question,
    exploration,
    judgement: judged,
    causes,
    ...(flow !== undefined && { query: flow }),
    controls: askable.controls(spec),
  };
  const typed = patches.flatMap((patch) => placed(askable, inquiry, patch));
  const { fixes, tried } = remedies(input, typed);
  return {
    fixes,
    tried: patches.map((patch) => {
      const fix = best(typed.flatMap((t, i) => (t.patch === patch ? [{ ...t, fix: tried[i]! }] : [])));
      const { judgement, exploration: after } = fix.proof;
      return { patch, commands: fix.commands, judgement: cautious(judgement, after), fix };
    }),
  };
}

interface Placed extends Typed {
  /** The node it is tried on, where it does not say so itself. */
  readonly node?: string;
}

/** A patch as it stands; where several nodes could be meant, on each of them that the flow passes. */
function placed(askable: Askable, { exploration }: Inquiry, patch: string): readonly Placed[] {
  const { world } = askable;
  const supplied = askable.commandsOf(patch);
  if (supplied.every((command) => saysWhere(world, command)))
    return [{ patch, commands: askable.patched(patch).commands }];
  const legs = exploration.branches.flatMap((b) => legsOf(b));
  const passed = new Set(legs.flatMap((l) => l?.steps ?? []).map((s) => s.stack));
  const all = world.stacks.filter((s) => s.kind === "node");
  const nodes = all.some((s) => passed.has(s.name)) ? all.filter((s) => passed.has(s.name)) : all;
  const places = nodes.flatMap(({ name }): Placed[] => {
    const commands = supplied.map((c) => (saysWhere(world, c) ? c : `${name}: ${c}`));
    return applyPatch(world, commands).problems.length > 0 ? [] : [{ patch, commands, node: name }];
  });
  return places.length > 0 ? places : [{ patch, commands: askable.patched(patch).commands }];
}

/** Where it helps, else where it does anything, else where the flow passes first; and that nobody said where. */
function best(trials: readonly (Placed & { readonly fix: TypedFix })[]): TypedFix {
  const helps = trials.find(({ fix }) => fix.proof.verdict === "reachable");
  const chosen = helps ?? trials.find(({ fix }) => fix.remarks.length === 0) ?? trials[0]!;
  if (chosen.node === undefined) return chosen.fix;
  const where = text("try.on_node", { node: chosen.node });
  return { ...chosen.fix, remarks: [where, ...chosen.fix.remarks] };
}
