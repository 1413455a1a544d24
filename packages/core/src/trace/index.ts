import type { Oracle } from "../datapath/oracle.ts";
import { say, type Text } from "../messages/index.ts";
import type { Packet, World } from "../model/index.ts";
import type { Branch, Exploration, Leg } from "./branch.ts";
import { converse } from "./conversation.ts";
import { explore } from "./explore.ts";
import type { Question } from "./question.ts";
import { Walk } from "./walk.ts";

export * from "./branch.ts";
export { factText } from "./fact-text.ts";
export * from "./json.ts";
export * from "./names.ts";
export { type Narrowed, narrow } from "./narrow.ts";
export type { Question } from "./question.ts";
export * from "./resolve-question.ts";
export * from "./verdict.ts";

/** The answer where a question is understood and not walked yet: one branch that says so. */
export function undeterminedBranch(world: World, reason: Text): Exploration {
  const final: Packet = {
    src: 0,
    dst: 0,
    protocol: 0,
    sport: 0,
    dport: 0,
    tcpFlags: 0,
    ttl: 0,
    tos: 0,
    length: 0,
    df: false,
  };
  const request: Leg = {
    what: "request",
    disposition: "undetermined",
    stack: "",
    step: "question",
    drop: say(reason),
    decision: reason,
    origins: [],
    steps: [],
    final,
    masqueraded: false,
  };
  const branch: Branch = {
    share: 1,
    hypothesis: new Map(),
    request,
    reply: null,
    data: [],
    aftermath: [],
    clientSees: null,
    errno: null,
    connections: [],
    assumptions: [],
    chances: [],
  };
  return { branches: [branch], facts: [], overflow: false, world, fixed: new Map() };
}

/** Walks a question through a World: every branch of every hypothesis, there and back. */
export function trace(
  world: World,
  question: Question,
  options: {
    readonly fixed?: ReadonlyMap<string, string>;
    readonly verbose?: boolean;
    /** Every branch as it was walked: those of equal fate are not merged. */
    readonly every?: boolean;
    /** No more walks than this; the answer is then undetermined. */
    readonly runs?: number;
  } = {},
): Exploration {
  const { fixed = new Map(), verbose = false, every = false, runs } = options;
  const run = (current: World, oracle: Oracle) => converse(new Walk(current, question, oracle, verbose));
  return explore(world, fixed, run, every, runs);
}
