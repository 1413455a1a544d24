import type { PatchStep } from "../../assemble/index.ts";
import { applyChange } from "../../assemble/patch/apply.ts";
import type { Stack } from "../../model/index.ts";
import { Unspeakable } from "../../model/shell.ts";
import { append } from "../../net/append.ts";
import type { PlacedLine } from "../fix.ts";
import { fieldCommand } from "../service-command.ts";
import { undoIp } from "./ip.ts";
import { undoIptables } from "./iptables.ts";
import { undoIpvs } from "./ipvs.ts";
import { undoNft } from "./nft.ts";
import { undoSets } from "./sets.ts";
import { undoSysctls } from "./sysctls.ts";

/** What takes one command back, as commands for the same stack. */
export interface Undo {
  readonly commands: readonly string[];
  /** Settings whose value before nobody showed: it has to be read before it is changed. */
  readonly unknown: readonly string[];
}

/** The way back from all commands of a patch, the last first. */
export function undoAll(steps: readonly PatchStep[]): {
  readonly lines: readonly PlacedLine[];
  readonly unknown: readonly string[];
} {
  const lines: PlacedLine[] = [];
  const unknown: string[] = [];
  const add = (stack: string, commands: readonly string[]): void => {
    for (const line of commands) lines.push({ stack, line });
  };
  add("", undoFields(steps));
  for (const step of [...steps].reverse()) {
    if (isIp(step)) continue;
    const undone = undoStep(step);
    add(step.before.name, undone.commands);
    append(unknown, undone.unknown);
  }
  // Devices, addresses and routes lean on each other in both directions: they are laid beside what was, all at once.
  for (const stack of new Set(steps.filter(isIp).map((s) => s.before.name))) {
    const own = steps.filter((s) => isIp(s) && s.before.name === stack);
    const undone = speakable(own[0]!, () => only(undoIp(own[0]!.before, own[own.length - 1]!.after)));
    add(stack, undone.commands);
    append(unknown, undone.unknown);
  }
  return { lines, unknown };
}

/** One command for the cluster, however many nodes follow it. */
function undoFields(steps: readonly PatchStep[]): readonly string[] {
  const lines = steps.flatMap(({ command, changes }) =>
    changes.flatMap((c) => (c.kind === "service" ? [fieldCommand(c.field, c.was, command)] : [])),
  );
  return [...new Set(lines)].reverse();
}

const isIp = (step: PatchStep): boolean => step.changes.every((c) => c.kind === "ip" || c.kind === "hairpin");

/** The way back from one command, told from the stack before and after it. */
function undoStep(step: PatchStep): Undo {
  const states: Stack[] = [step.before];
  for (const change of step.changes) {
    const result = applyChange(states[states.length - 1]!, change);
    states.push(result.ok ? result.stack : states[states.length - 1]!);
  }
  const commands: string[] = [];
  const unknown: string[] = [];
  for (let i = step.changes.length - 1; i >= 0; i--) {
    const undone = speakable(step, () => undoChange(step, i, states[i]!, states[i + 1]!));
    append(commands, undone.commands);
    append(unknown, undone.unknown);
  }
  return { commands, unknown };
}

/** What was there before may hold what no line can say: then it is to be kept by whoever changes it, as what nobody showed. */
function speakable({ command }: PatchStep, undo: () => Undo): Undo {
  try {
    return undo();
  } catch (problem) {
    if (!(problem instanceof Unspeakable)) throw problem;
    return { commands: [], unknown: [command] };
  }
}

const only = (commands: readonly string[]): Undo => ({ commands, unknown: [] });

function undoChange(step: PatchStep, at: number, before: Stack, after: Stack): Undo {
  const change = step.changes[at]!;
  switch (change.kind) {
    case "iptables":
      return only(undoIptables(change.command, before));
    case "nft":
      return undoNft(before.netfilter.nft ?? [], after.netfilter.nft ?? []);
    case "ip":
      return only(undoIp(before, after));
    case "ipset":
      return only(undoSets(before.ipsets.items, after.ipsets.items));
    case "ipvs":
      return only(undoIpvs(before.ipvs.services, after.ipvs.services));
    case "sysctl":
      return undoSysctls(change.command.key, before, after);
    case "hairpin":
      return only(undoIp(before, after));
    case "module":
      return only(before.sysctls.size === after.sysctls.size ? [] : [`modprobe -r ${change.name}`]);
    case "offload":
      return only([step.command.replace(/ off$/, " on")]);
    case "service":
    case "conntrack":
      return only([]);
  }
}
