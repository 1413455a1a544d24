import type { PatchRefusal } from "../../model/faults/patch-refusal.ts";
import { type Link, type LinkEnd, type Origin, read, type Stack, type World } from "../../model/index.ts";
import { retyped, shell, Unspeakable } from "../../model/shell.ts";
import { append } from "../../net/append.ts";
import { shellWords } from "../../parse/shell-words.ts";
import { applyChange } from "./apply.ts";
import type { Change } from "./change.ts";
import { commandLine, type StackCommand } from "./command.ts";
import { parseChange } from "./parse.ts";
import { applyServiceField, fieldOf, parseServiceFields, type ServiceField } from "./service/index.ts";

export type { Change } from "./change.ts";
export { argv, commandLine, type StackCommand } from "./command.ts";
export type { ServiceField } from "./service/index.ts";

export interface PatchProblem {
  readonly command: string;
  readonly refusal: PatchRefusal;
}

/** One command that was applied: where, what it changed, and the stack before and after it. */
export interface PatchStep {
  readonly command: string;
  readonly changes: readonly Change[];
  readonly before: Stack;
  readonly after: Stack;
}

export interface Patched {
  readonly world: World;
  readonly problems: readonly PatchProblem[];
  readonly steps: readonly PatchStep[];
}

/**
 * The World after commands as one would type them, each on the node its `NODE:` prefix names. What follows from a change is
 * derived again. A command that is not understood, or that the kernel would refuse, is a problem and changes nothing.
 */
export function applyPatch(world: World, commands: readonly string[]): Patched {
  const problems: PatchProblem[] = [];
  const steps: PatchStep[] = [];
  let patched = world;
  for (const [i, text] of commands.entries()) {
    for (const command of text.split(/\r?\n/).filter((line) => line.trim() !== "")) {
      const result = applyOne(patched, command.trim(), read("patch", i + 1));
      if ("kind" in result) problems.push({ command, refusal: result });
      else {
        patched = result.world;
        append(steps, result.steps);
      }
    }
  }
  return { world: patched, problems, steps };
}

/** The World after commands of our own making. One that no line can say changes nothing, and is a problem. */
export function applyCommands(world: World, commands: readonly StackCommand[]): Patched {
  try {
    return applyPatch(world, commands.map(commandLine));
  } catch (problem) {
    if (!(problem instanceof Unspeakable)) throw problem;
    return { world, problems: [{ command: "", refusal: { kind: "unspeakable", detail: problem.message } }], steps: [] };
  }
}

const OBJECT = /^(?:(?:svc|services?)\/[^\s/]+\/[^\s/]+(?:\s|$)|(?:sudo\s+)?(?:\S*\/)?kubectl\s)/;
const PREFIX = /^([A-Za-z0-9][\w.@/-]*):\s*(?=\S)/;

function applyOne(
  world: World,
  text: string,
  origin: Origin,
): { readonly world: World; readonly steps: readonly PatchStep[] } | PatchRefusal {
  const fields = OBJECT.test(text) ? parseServiceFields(text, origin) : undefined;
  if (fields !== undefined && "kind" in fields) return fields;
  if (fields !== undefined) return applyFields(world, text, fields);
  const { stack, command } = target(world, text);
  if (isRefusal(stack)) return stack;
  const parsed = parseChange(command, origin);
  if (!parsed.ok) return parsed.refusal;
  let changed = stack;
  for (const change of parsed.changes) {
    const result = applyChange(changed, change);
    if (!result.ok) return result.refusal;
    changed = result.stack;
  }
  const stacks = world.stacks.map((s) => (s === stack ? changed : s));
  const links = followDevices(world.links, changed, parsed.changes);
  return {
    world: { ...world, stacks, links },
    steps: [{ command: asPasted(command), changes: parsed.changes, before: stack, after: changed }],
  };
}

/** It is printed for pasting: quoted so that a shell reads in it what was read here. */
const asPasted = (command: string): string => {
  try {
    return retyped(command, shellWords(command));
  } catch (problem) {
    if (!(problem instanceof Unspeakable)) throw problem;
    // It changes the model and is printed with what a terminal would take for more than text replaced.
    return shellWords(command)
      .map((w) => (w.operator ? w.text : shell`${w.text}`))
      .join(" ");
  }
};

function applyFields(
  world: World,
  command: string,
  fields: readonly ServiceField[],
): { readonly world: World; readonly steps: readonly PatchStep[] } | PatchRefusal {
  const steps: PatchStep[] = [];
  let patched = world;
  for (const field of fields) {
    const service = patched.kubernetes.services.find((s) => s.namespace === field.namespace && s.name === field.name);
    const result = applyServiceField(patched, field);
    if ("kind" in result) return result;
    const change: Change = {
      kind: "service",
      field,
      was: service === undefined ? "" : fieldOf(service, field.field),
      origin: field.origin,
    };
    for (const { before, after } of result.changed)
      steps.push({ command: asPasted(command), changes: [change], before, after });
    patched = result.world;
  }
  return fields.length === 0 ? { kind: "no-field" } : { world: patched, steps };
}

/** Whether a command says on which stack it is typed, or needs not to. */
export const saysWhere = (world: World, command: string): boolean =>
  OBJECT.test(command.trim()) || !isRefusal(target(world, command.trim()).stack);

const isRefusal = (it: Stack | PatchRefusal): it is PatchRefusal => !("devices" in it);

/** Which stack a command is for: the one it names, else the only node, else the only stack. */
function target(world: World, text: string): { readonly stack: Stack | PatchRefusal; readonly command: string } {
  // The longest: one name may begin like another with a colon in it.
  const named = world.stacks
    .filter((s) => text.startsWith(`${s.name}:`))
    .reduce<Stack | undefined>(
      (best, s) => (best === undefined || s.name.length > best.name.length ? s : best),
      undefined,
    );
  if (named !== undefined) return { stack: named, command: text.slice(named.name.length + 1).trim() };
  const prefix = PREFIX.exec(text);
  if (prefix !== null) {
    return { stack: { kind: "no-node", name: prefix[1]!, names: world.stacks.map((s) => s.name) }, command: text };
  }
  const nodes = world.stacks.filter((s) => s.kind === "node");
  const only = nodes.length === 1 ? nodes[0] : world.stacks.length === 1 ? world.stacks[0] : undefined;
  if (only !== undefined) return { stack: only, command: text };
  const names = (nodes.length > 0 ? nodes : world.stacks).map((s) => `${s.name}:`);
  return { stack: names.length === 0 ? { kind: "no-nodes" } : { kind: "which-node", names }, command: text };
}

/** Links follow a device that was renamed and lose one that is gone. */
function followDevices(links: readonly Link[], stack: Stack, changes: readonly Change[]): readonly Link[] {
  const names = new Map<string, string>();
  for (const change of changes) {
    if (change.kind !== "ip" || change.command.kind !== "link") continue;
    const { verb, device, change: link } = change.command;
    if (verb === "set" && link.name !== undefined) names.set(device, link.name);
  }
  const there = new Set(stack.devices.items.map((d) => d.name));
  const follow = (end: LinkEnd): LinkEnd =>
    end.stack === stack.name && names.has(end.device) ? { ...end, device: names.get(end.device)! } : end;
  const stays = (end: LinkEnd): boolean => end.stack !== stack.name || there.has(end.device);
  return links.flatMap((link): Link[] => {
    const ends = link.ends.map(follow).filter(stays);
    if (link.type !== "veth") return ends.length === 0 ? [] : [{ ...link, ends }];
    return ends.length === 2 ? [{ ...link, ends: [ends[0]!, ends[1]!] }] : [];
  });
}
