import { assumptionText, decisionText, dropName, say } from "../../messages/index.ts";
import type { Decision, Origin, Packet, Port, Step } from "../../model/index.ts";
import { type Address, formatAddress, protocolName } from "../../net/index.ts";
import { type Branch, decisiveLeg, type Leg, type Region, shorten } from "../../trace/index.ts";

/** `trace --json`, all branches that are shown: a contract, fields are only added. */
export function branchesJson(all: readonly Branch[]): {
  readonly branches: readonly unknown[];
  readonly branchesLeftOut?: number;
} {
  const { branches, leftOut } = shorten(all);
  return { branches: branches.map(branchJson), ...(leftOut > 0 && { branchesLeftOut: leftOut }) };
}

/** `trace --json`: for which packets each branch holds, beside the one that was asked for. */
export function tracedJson(all: readonly Branch[], region?: Region): ReturnType<typeof branchesJson> {
  const { branches, leftOut } = shorten(all);
  return {
    branches: branches.map((b) => ({ ...branchJson(b), holdsFor: { ...region, ...holdsForJson(b) } })),
    ...(leftOut > 0 && { branchesLeftOut: leftOut }),
  };
}

const holdsForJson = ({ sourcePorts }: Branch): { readonly sourcePorts?: readonly string[] } =>
  sourcePorts === null
    ? {}
    : { sourcePorts: sourcePorts.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)) };

/** One branch. */
export function branchJson(branch: Branch): Readonly<Record<string, unknown>> {
  const decisive = decisiveLeg(branch);
  return {
    share: Math.round(branch.share * 1e9) / 1e9,
    hypothesis: Object.fromEntries(branch.hypothesis),
    disposition: decisive.disposition,
    stack: decisive.stack,
    step: decisive.step,
    drop: dropJson(decisive),
    clientSees: branch.clientSees,
    errno: branch.errno,
    assumptions: branch.assumptions.map((a) => say(assumptionText(a.why))),
    request: legJson(branch.request),
    reply: branch.reply === null ? null : legJson(branch.reply),
    data: branch.data.map(legJson),
  };
}

export function legJson(leg: Leg): unknown {
  return {
    what: leg.what,
    disposition: leg.disposition,
    stack: leg.stack,
    step: leg.step,
    drop: dropJson(leg),
    decision: say(decisionText(leg.decision)),
    evidence: leg.origins.flatMap(originJson),
    steps: leg.steps.map(stepJson),
    ...(leg.leftOut !== undefined && { stepsLeftOut: leg.leftOut }),
    final: { ...packetJson(leg.final), masqueraded: leg.masqueraded },
  };
}

const dropJson = (leg: Leg): string | null => {
  const name = dropName(leg);
  return name === null ? null : say(name);
};

const portJson = (p: Port): number | null => (typeof p === "number" ? p : null);

export function packetJson(p: Packet): Record<string, unknown> {
  return {
    src: formatAddress(p.src),
    ...(p.icmp === undefined && { sport: portJson(p.sport) }),
    dst: formatAddress(p.dst),
    ...(p.icmp === undefined && { dport: portJson(p.dport) }),
    proto: protocolName(p.protocol),
    ...(p.icmp !== undefined && { icmpType: p.icmp.type, icmpCode: p.icmp.code }),
    ...(p.fragment !== undefined && { fragment: { offset: p.fragment.offset, more: p.fragment.more } }),
    ...(p.carried !== undefined && { carries: { tunnel: p.carried.tunnel, ...packetJson(p.carried.packet) } }),
  };
}

/** The lines a person can look at, and the rules by which the rest was derived or assumed. */
export function originJson(origin: Origin): unknown[] {
  switch (origin.kind) {
    case "read":
      return [{ file: origin.file, line: origin.line }];
    case "derived":
      return [{ derived: origin.rule }, ...origin.from.flatMap(originJson)];
    case "assumed":
      return [{ assumed: origin.rule }];
  }
}

/** A step with its addresses as text and its origins as lines. */
function stepJson(step: Step): unknown {
  const json: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(step)) {
    // Which rule it is stands in the line it was read from.
    if (key === "by" || (key === "backend" && step.kind === "rule")) continue;
    if (key === "packet" || key === "before")
      json[key] = { ...packetJson(value as Packet), ttl: (value as Packet).ttl };
    else if (key === "origin") json.evidence = originJson(value as Origin);
    else if (key === "origins") json.evidence = (value as readonly Origin[]).flatMap(originJson);
    else if (key === "gateway" || key === "balancer" || key === "source" || key === "target")
      json[key] = formatAddress(value as Address);
    else if (key === "mark") json.mark = `0x${(value as number).toString(16)}`;
    else if (key === "decision" || key === "why") json[key] = say(decisionText(value as Decision));
    else json[key] = value;
  }
  return json;
}
