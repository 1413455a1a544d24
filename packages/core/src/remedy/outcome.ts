import type { HookStep, World } from "../model/index.ts";
import { formatAddress, formatEndpoint } from "../net/index.ts";
import {
  type Branch,
  decisiveLeg,
  type Exploration,
  judge,
  legsOf,
  type Question,
  resolveQuestion,
  trace,
  type Verdict,
} from "../trace/index.ts";
import { type Flow, specOf } from "./flows.ts";

/** What became of a flow: enough to say what a change did to it, and whether a change can touch it at all. */
export interface FlowOutcome {
  readonly verdict: Verdict;
  readonly endpoints: string;
  /** The client's address, as the endpoint sees it. */
  readonly clients: string;
  readonly stacks: ReadonlySet<string>;
  /** `stack/device` of every device that took or sent it. */
  readonly devices: ReadonlySet<string>;
  readonly hooks: readonly HookStep[];
  /** Addresses that its packets carried anywhere. */
  readonly addresses: ReadonlySet<string>;
  /** What it took to walk it. */
  readonly work: number;
}

/** Beside its steps every walk has to be set up. */
const SET_UP = 40;
/** A flow that is one of many is not worth more walks than this. */
const MAX_RUNS = 200;

/** Walks a flow; undefined where it cannot be asked of this World, or is the one that was asked. */
export function outcomeOf(
  world: World,
  flow: Flow,
  fixed: ReadonlyMap<string, string>,
  following: Pick<Exploration, "afterwards">,
  { wanted: requested, record = true }: { readonly wanted?: Question; readonly record?: boolean } = {},
): FlowOutcome | undefined {
  const resolved = resolveQuestion(world, specOf(flow));
  if (resolved.ok !== true || (requested !== undefined && isQuestioned(resolved.question, requested))) return undefined;
  return outcome(trace(resolved.world, resolved.question, { fixed, runs: MAX_RUNS, after: following, record }));
}

const isQuestioned = (q: Question, query: Question): boolean =>
  q.client === query.client &&
  q.to === query.to &&
  q.port === query.port &&
  q.protocol === query.protocol &&
  q.bindDevice === query.bindDevice;

export function outcome(exploration: Exploration): FlowOutcome {
  const stacks = new Set<string>();
  const devices = new Set<string>();
  const hooks: HookStep[] = [];
  const addresses = new Set<string>();
  let work = SET_UP * Math.max(1, exploration.runs ?? 1);
  for (const branch of exploration.branches) {
    for (const leg of legsOf(branch)) {
      work += leg.steps.length;
      for (const step of leg.steps) {
        stacks.add(step.stack);
        if (step.kind === "receive" || step.kind === "transmit") devices.add(`${step.stack}/${step.device}`);
        else if (step.kind === "hook") {
          hooks.push(step);
          addresses.add(formatAddress(step.packet.src)).add(formatAddress(step.packet.dst));
        }
      }
    }
  }
  return {
    verdict: judge(exploration).verdict,
    endpoints: shown(exploration, (b) => formatEndpoint(b.request.final.dst, String(b.request.final.dport))),
    clients: shown(exploration, (b) => formatAddress(b.request.final.src)),
    stacks,
    devices,
    hooks,
    addresses,
    work,
  };
}

/** What delivered requests look like at their end, each once. */
const shown = ({ branches }: Exploration, of: (b: Branch) => string): string =>
  [...new Set(branches.filter((b) => b.request.disposition === "delivered" && decisiveLeg(b) !== b.request).map(of))]
    .sort()
    .join(", ");
