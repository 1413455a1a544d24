import type { Askable } from "../../diagnose/index.ts";
import { formatEndpoint, protocolName } from "../../net/index.ts";
import type { Answer } from "../answer.ts";
import type { Source, Target } from "../flow.ts";
import { type Flow, targetName } from "../plan.ts";
import { grouped } from "../summary.ts";
import { sweep } from "../sweep.ts";
import type { Sweep } from "../swept.ts";
import type { Expectation, Outcome } from "./expectation.ts";

/** Lines of one kind of source and one Service beyond which only some are written. */
const MAX_SINGLE = 500;

export interface Recorded {
  readonly expectations: readonly Omit<Expectation, "line">[];
  /** Flows of which nobody can say how they fare: nothing is expected of them. */
  readonly undetermined: number;
  /** Flows of groups too mixed to be written one by one. */
  readonly leftOut: number;
  /** Flows that were not asked, since it was stopped. */
  readonly notAsked: number;
}

interface Member {
  readonly flow: Flow;
  /** Of the class that answers for it. */
  readonly id: string;
}

/** How far it is. */
interface RecordProgress {
  readonly answered: number;
  readonly flows: number;
  /** What is known so far. */
  readonly known: () => Recorded;
}

/** How it is today, as expectations: one for all sources of a kind where they fare alike, else one for each flow. */
export function* record(askable: Askable): Generator<RecordProgress, Recorded> {
  const members = new Map<string, Member[]>();
  const walking = sweep(askable, {
    member: (flow, id) => {
      const key = groupOf(flow);
      const known = members.get(key);
      if (known === undefined) members.set(key, [{ flow, id }]);
      else known.push({ flow, id });
    },
  });
  for (;;) {
    const step = walking.next();
    if (step.done === true) return recorded(members, step.value);
    const { answered, flows, known } = step.value;
    yield { answered, flows, known: () => recorded(members, known()) };
  }
}

function recorded(members: ReadonlyMap<string, readonly Member[]>, swept: Sweep): Recorded {
  const answers = new Map(swept.classes.map((c): [string, Answer] => [c.id, c]));
  const notAsked = swept.flows - swept.answered;
  const expectations: Omit<Expectation, "line">[] = [];
  const beside = besideOf([...members.values()].map(([first]) => first!.flow));
  const lineFor = (flow: Flow, outcome: Outcome, all: boolean) => lineOf(flow, outcome, all, beside(flow));
  let undetermined = 0;
  let leftOut = 0;
  const outcomesOf = (list: readonly Member[]) => list.map(({ id }) => outcomeOf(answers.get(id)!));
  for (const [key, list] of members) {
    const outcomes = outcomesOf(list);
    undetermined += outcomes.filter((o) => o === undefined).length;
    const [first] = outcomes;
    // Whoever says pods means the Service's own endpoints, too.
    const meant = [...outcomes, ...outcomesOf(members.get(key.replace(/^pod /, "endpoint ")) ?? [])];
    // Of all sources of a kind nothing is said before all were asked.
    if (notAsked === 0 && first !== undefined && meant.every((o) => o === first)) {
      expectations.push(lineFor(list[0]!.flow, first, true));
      continue;
    }
    const known = list.flatMap(({ flow }, i) => (outcomes[i] === undefined ? [] : [{ flow, outcome: outcomes[i] }]));
    leftOut += Math.max(0, known.length - MAX_SINGLE);
    for (const { flow, outcome } of known.slice(0, MAX_SINGLE)) expectations.push(lineFor(flow, outcome, false));
  }
  return { expectations, undetermined, leftOut, notAsked };
}

const groupOf = (flow: Flow): string => `${askedOf(flow)} ${flow.target.protocol} ${flow.target.family}`;

/** What a line means that says neither protocol nor family. */
const askedOf = ({ source, target }: Flow): string => [source.kind, allName(target), target.via, target.port].join(" ");

/** What is asked in another protocol or family, too: a line that means one of them has to say which. */
interface Beside {
  readonly protocols: boolean;
  readonly families: boolean;
}

function besideOf(groups: readonly Flow[]): (flow: Flow) => Beside {
  const found = grouped(groups, askedOf);
  return (flow) => {
    const alike = (found.get(askedOf(flow)) ?? []).map((f) => f.target);
    const several = (values: readonly number[]): boolean => new Set(values).size > 1;
    return { protocols: several(alike.map((t) => t.protocol)), families: several(alike.map((t) => t.family)) };
  };
}

function outcomeOf({ verdict, clientSees }: Answer): Outcome | undefined {
  if (verdict === "reachable") return "works";
  if (verdict !== "unreachable") return undefined;
  return clientSees === "refused" ? "refused" : clientSees === "timeout" ? "timesOut" : "fails";
}

/** All pods, all nodes, or the Service. */
const allName = (target: Target): string =>
  target.kind === "pod" ? "pod/*" : target.kind === "kubelet" ? "node/*" : targetName(target);

const sourceName = ({ kind, from, node }: Source): string => (kind === "external" ? `external/${node}` : from);

function lineOf(
  { source, target }: Flow,
  outcome: Outcome,
  all: boolean,
  { protocols, families }: Beside,
): Omit<Expectation, "line"> {
  const { via, port, servicePort, protocol, family, kind } = target;
  const name = all ? allName(target) : targetName(target);
  const isAddress = !name.includes("/");
  const to = isAddress ? name : `${name}:${servicePort ?? port}`;
  const proto = protocolName(protocol);
  return {
    from: all || source.kind === "loadbalancer" ? source.kind : sourceName(source),
    to: !all && (via === "nodeport" || kind === "kubelet") ? formatEndpoint(target.address, port) : to,
    ...(via !== null && { via }),
    ...((proto !== "tcp" || protocols) && { proto }),
    ...((family === 6 || families) && { family }),
    expect: outcome,
  };
}
