import { CAUSES, type CauseCode, type Finding } from "../explain/index.ts";
import { text } from "../messages/index.ts";
import type { HookStep, NatStep, Stack, Step, World } from "../model/index.ts";
import { lookup } from "../model/lookup.ts";
import { isIpv4 } from "../net/index.ts";
import { decisiveLeg, type Exploration, type Leg, type Question } from "../trace/index.ts";
import type { RemedyScene } from "./fix.ts";

/** Every branch that does not work, with the causes seen in it. */
export function scenesOf(question: Question, { branches, world }: Exploration): readonly RemedyScene[] {
  return branches.flatMap((branch): RemedyScene[] => {
    const leg = decisiveLeg(branch);
    if (branch.clientSees === "connected" || leg.disposition === "undetermined") return [];
    const direction = leg === branch.reply ? "reply" : "request";
    const scene = { world, question, branch, leg, direction, stack: stackOf(world, leg.stack) } as const;
    const findings = CAUSES.flatMap((c) => c.detect(scene));
    return [{ ...scene, findings: findings.length > 0 ? findings : plainly(leg) }];
  });
}

/** Causes that the place of death names by itself, where none is claimed: a fix may be worth a walk all the same. */
const BY_DROP: Readonly<Record<string, CauseCode>> = lookup({
  IP_RPFILTER: "RP_FILTER_STRICT",
  IP_LOCAL_SOURCE: "MARTIAN_LOCAL_SOURCE",
  IP_INADDRERRORS: "IP_FORWARD_OFF",
  IP_LOCALNET: "ROUTE_LOCALNET",
  BRIDGE_INGRESS_PORT: "HAIRPIN_OFF",
  NETFILTER_DROP: "RULE_DROP",
});

function plainly(leg: Leg): readonly Finding[] {
  const code = BY_DROP[leg.drop ?? ""];
  if (code === undefined) return [];
  return [{ code, summary: text("fix.any_address"), stack: leg.stack, evidence: leg.origins, root: false }];
}

/** Every branch, with causes that are claimed of the whole. */
export const scenesWith = (
  question: Question,
  { branches, world }: Exploration,
  findings: readonly Finding[],
): readonly RemedyScene[] =>
  branches.map((branch): RemedyScene => {
    const leg = decisiveLeg(branch);
    const direction = leg === branch.reply ? "reply" : "request";
    return { world, question, branch, leg, direction, stack: stackOf(world, leg.stack), findings };
  });

export const stackOf = (world: World, name: string): Stack | undefined => world.stacks.find((s) => s.name === name);

export const stepsOf = <K extends Step["kind"]>(leg: Leg | null, kind: K): readonly Extract<Step, { kind: K }>[] =>
  (leg?.steps ?? []).filter((s): s is Extract<Step, { kind: K }> => s.kind === kind);

export const lastOf = <T>(items: readonly T[]): T | undefined => items[items.length - 1];

/** Nobody's to change: a host the walk made up. */
export const isOurs = (stack: Stack | undefined): stack is Stack => stack !== undefined && stack.assumed === undefined;

/** Where the request's source was translated, and from what. */
export const sourceNat = (leg: Leg): NatStep | undefined =>
  stepsOf(leg, "nat").find((s) => s.manip === "source" && s.before.src !== s.packet.src);

/** The packet as it leaves a stack: at POSTROUTING if rules were there to see it, else on the wire. */
export function leaving(leg: Leg, stack: string): Pick<HookStep, "packet" | "out"> | undefined {
  const hook = lastOf(stepsOf(leg, "hook").filter((h) => h.stack === stack && h.hook === "POSTROUTING"));
  if (hook !== undefined) return hook;
  const sent = lastOf(stepsOf(leg, "transmit").filter((s) => s.stack === stack));
  return sent === undefined ? undefined : { packet: sent.packet, out: sent.device };
}

/** The stack that sent the request to another address than was called. */
export const translatedBy = (leg: Leg): string | undefined =>
  leg.steps.find((s) => (s.kind === "nat" && s.manip === "destination") || (s.kind === "ipvs" && s.before !== s.packet))
    ?.stack;

export const hasAddress = (stack: Stack | undefined, device: string): boolean =>
  stack?.devices.items.find((d) => d.name === device)?.addresses.some((a) => isIpv4(a.prefix.address)) === true;

/** The stacks at which one of these causes was found. */
export const foundAt = ({ findings, world }: RemedyScene, codes: readonly CauseCode[]): readonly Stack[] => {
  const names = new Set(findings.filter((f) => codes.includes(f.code)).map((f) => f.stack));
  return world.stacks.filter((s) => s.assumed === undefined && names.has(s.name));
};
