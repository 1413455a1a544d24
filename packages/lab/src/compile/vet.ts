import { type Text, text } from "@hairpin/core/messages/index.ts";
import { linesOf } from "@hairpin/core/model/index.ts";
import { deviceWord, type WordKind } from "@hairpin/core/model/word.ts";
import { LabError } from "../executor/session.ts";
import { KERNEL_PACE } from "../pace.ts";
import type { LabPlan, LabStack } from "../plan.ts";
import { listenSpec, relaySpec } from "../serve.ts";
import { compileChange } from "./change.ts";
import { conntrackArguments } from "./conntrack.ts";
import { deviceState } from "./device-state.ts";
import { ipsetRestore } from "./ipset.ts";
import { ipvsRestore } from "./ipvs.ts";
import { linkProgram } from "./links.ts";
import { restores } from "./netfilter.ts";
import { nftLoad } from "./nft.ts";
import { attempt, type Refusal } from "./refusal.ts";
import { bridgeLines, neighbourLines, routingLines, ruleLines } from "./routing.ts";
import { stimulusSpec } from "./stimulus.ts";
import { earlySysctls, lateSysctls } from "./sysctls.ts";

/** A plan with values that no tool is given. Nothing of it was run. */
export class BadPlan extends LabError {
  override readonly name = "BadPlan";
  constructor(refused: readonly Refusal[]) {
    super(refused.map(textOf));
  }
}

/** Throws BadPlan where a word of the plan is outside its alphabet: all of it is put in words once, and nothing is run. */
export function vet(plan: LabPlan): void {
  const bad = refusalsOf(plan).filter((refusal) => refusal.bad !== undefined);
  if (bad.length > 0) throw new BadPlan(distinct(bad));
}

function refusalsOf(plan: LabPlan): readonly Refusal[] {
  const refused: Refusal[] = [...linkProgram(plan, () => "/proc/1/fd/0", { dummy: true }).problems];
  for (const stack of plan.stacks) vetStack(stack, plan, refused);
  for (const relay of plan.relays) attempt(refused, { stack: relay.stack, what: "a relay" }, () => relaySpec(relay));
  for (const listener of plan.listeners) {
    attempt(refused, { stack: listener.stack, what: "a listener" }, () => listenSpec(listener));
  }
  for (const stimulus of plan.stimuli) {
    const stack = "stack" in stimulus ? stimulus.stack : "";
    attempt(refused, { stack, what: stimulus.kind }, () => {
      if (stimulus.kind === "change") compileChange(stack, stimulus.change, plan.observe);
      else stimulusSpec(stimulus, KERNEL_PACE);
    });
  }
  return refused;
}

function vetStack(stack: LabStack, plan: LabPlan, refused: Refusal[]): void {
  earlySysctls(stack, refused);
  deviceState(stack, refused);
  routingLines(stack, refused);
  neighbourLines(stack, refused);
  ruleLines(stack, refused, 6);
  lateSysctls(stack, refused);
  bridgeLines(stack, refused);
  ipsetRestore(stack.name, stack.ipsets, refused);
  ipvsRestore(stack.name, stack.services, refused);
  restores(stack, plan.observe, refused);
  nftLoad(stack, plan.observe, refused);
  for (const device of stack.devices) {
    attempt(refused, { stack: stack.name, what: `device ${device.name}`, origin: device.origin }, () => {
      deviceWord(device.name);
    });
  }
  for (const entry of stack.conntrack ?? []) {
    attempt(refused, { stack: stack.name, what: "a connection", origin: entry.origin }, () => {
      conntrackArguments(entry);
    });
  }
}

/** The same value stands in many lines; it is told once a place, and of many the first. */
const SHOWN = 20;
function distinct(bad: readonly Refusal[]): readonly Refusal[] {
  const seen = new Map(bad.map((r) => [`${whereOf(r)}\n${r.bad!.kind}\n${r.bad!.value}`, r]));
  return [...seen.values()].slice(0, SHOWN);
}

function whereOf(refusal: Refusal): string {
  const [line] = refusal.origin === undefined ? [] : linesOf(refusal.origin);
  return line === undefined ? `${refusal.stack}, ${refusal.what}` : `${line.file}:${line.line}`;
}

const textOf = (refusal: Refusal): Text =>
  text("lab.bad-value", {
    where: whereOf(refusal),
    value: JSON.stringify(refusal.bad!.value),
    kind: text(KINDS[refusal.bad!.kind]),
  });

const KINDS = {
  device: "lab.kind.device",
  "interface-pattern": "lab.kind.device",
  mac: "lab.kind.mac",
  address: "lab.kind.address",
  prefix: "lab.kind.prefix",
  number: "lab.kind.number",
  set: "lab.kind.set",
  chain: "lab.kind.chain",
  name: "lab.kind.name",
  choice: "lab.kind.choice",
  descriptor: "lab.kind.name",
  sysctl: "lab.kind.sysctl",
  "sysctl-value": "lab.kind.sysctl-value",
  "rule-word": "lab.kind.rule-word",
  "set-word": "lab.kind.set-word",
  line: "lab.kind.line",
} as const satisfies Record<WordKind, string>;
