import { type Askable, BadRequest } from "../../diagnose/index.ts";
import { protocolName } from "../../net/index.ts";
import { type Answer, findingsOf, type Inspected, inspect } from "../answer.ts";
import { Sharing, type Views, viewsOf } from "../classes/sharing.ts";
import type { FlowQuestion } from "../flow.ts";
import { matchesGlob } from "../glob.ts";
import { askedOf, type Flow, isSource, isTarget, type Plan, planOf } from "../plan.ts";
import type { Expectation } from "./expectation.ts";
import { type FlowTraits, traitsOf } from "./traits.ts";

/** What of one expectation does not hold, and the flow that shows it. */
export interface Broken {
  readonly asked: FlowQuestion;
  /** Flows that it is so for. */
  readonly flows: number;
  readonly answer: Omit<Answer, "fix">;
  readonly seen: FlowTraits;
  /** Nobody can say whether it holds. */
  readonly open: boolean;
  readonly why: "verdict" | "seesClientAddress" | "viaNode";
}

export interface Held {
  readonly expectation: Expectation;
  readonly result: "holds" | "broken" | "open" | "matches-nothing";
  readonly flows: number;
  readonly broken: readonly Broken[];
}

interface Known {
  readonly asked: FlowQuestion;
  readonly answer: Omit<Answer, "fix">;
  readonly seen: FlowTraits;
  flows: number;
}

/** Holds every expectation against the case, one after the other. */
export function* holdAll(askable: Askable, expectations: readonly Expectation[]): Generator<Held> {
  const plan = planOf(askable.world);
  const views = viewsOf(askable);
  for (const expectation of expectations) yield hold(askable, plan, views, expectation);
}

function hold(askable: Askable, plan: Plan, views: Views | undefined, expectation: Expectation): Held {
  const known: Known[] = [];
  let flows = 0;
  const ask = (inspected: Inspected, asked: FlowQuestion): Known => {
    const made = { asked, answer: findingsOf(inspected), seen: traitsOf(inspected), flows: 1 };
    known.push(made);
    return made;
  };
  for (const group of plan.groups) {
    // Which nodes are passed is told of each flow by itself.
    const sharing = views === undefined || expectation.viaNode !== undefined ? undefined : new Sharing<Known>(views);
    for (const flow of plan.flowsOf(group)) {
      if (!isMeant(flow, expectation)) continue;
      flows++;
      const shared = sharing?.find(flow);
      if (shared !== undefined) {
        shared.flows++;
        continue;
      }
      const asked = askedOf(flow);
      const inspected = inspect(askable, asked);
      const made = ask(inspected, asked);
      const { question, exploration } = inspected;
      if (question !== undefined)
        sharing?.learn(flow, question, exploration, made, inspected.verdict.verdict === "reachable");
    }
  }
  if (flows === 0) {
    const { from, to, proto = "tcp", node, via, family } = expectation;
    if (/[*?]/.test(from + to)) return { expectation, result: "matches-nothing", flows, broken: [] };
    try {
      const rest = { ...(node !== undefined && { node }), ...(via !== undefined && { via }) };
      const asked = { from, to, proto, ...rest };
      const families = family === undefined ? askable.families(asked) : [family];
      for (const each of families.length === 0 ? [asked] : families.map((f) => ({ ...asked, family: f })))
        ask(inspect(askable, each), each);
    } catch (error) {
      if (error instanceof BadRequest) return { expectation, result: "matches-nothing", flows, broken: [] };
      throw error;
    }
    flows = known.length;
  }
  const broken = known.flatMap((k) => faultsOf(k, expectation));
  const result = broken.some((b) => !b.open) ? "broken" : broken.length > 0 ? "open" : "holds";
  return { expectation, result, flows, broken };
}

function isMeant(flow: Flow, { from, to, proto, family, via, node }: Expectation): boolean {
  const { source, target } = flow;
  if (proto !== undefined && proto !== protocolName(target.protocol)) return false;
  if (family !== undefined && family !== target.family) return false;
  // As `diagnose` takes a Service by its name.
  const inside = source.kind === "pod" || source.kind === "endpoint" || source.kind === "node";
  const way = via ?? (to.startsWith("svc/") && inside ? "clusterip" : undefined);
  if (way !== undefined && way !== target.via) return false;
  if (node !== undefined && (source.node === null || !matchesGlob(node, source.node))) return false;
  return isSource(from, source) && isTarget(to, target);
}

/** What of an answer is not as it is expected. */
function faultsOf(known: Known, { expect, seesClientAddress, viaNode }: Expectation): readonly Broken[] {
  const { asked, answer, seen, flows } = known;
  const { verdict, clientSees } = answer;
  const fault = (why: Broken["why"], open: boolean): Broken => ({ asked, answer, seen, flows, why, open });
  const fails = verdict === "unreachable";
  const holds =
    expect === "works"
      ? verdict === "reachable"
      : fails && (expect === "fails" || clientSees === (expect === "refused" ? "refused" : "timeout"));
  if (!holds) return [fault("verdict", verdict === "undetermined")];
  const found: Broken[] = [];
  if (seesClientAddress !== undefined && seen.clientAddress !== seesClientAddress)
    found.push(fault("seesClientAddress", seen.clientAddress === null));
  if (viaNode !== undefined && !seen.nodes.some((n) => matchesGlob(viaNode, n))) found.push(fault("viaNode", false));
  return found;
}
