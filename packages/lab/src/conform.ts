import type { World } from "@hairpin/core/model/index.ts";
import { PROTO } from "@hairpin/core/net/index.ts";
import type { Branch, ClientSees, Exploration, Question } from "@hairpin/core/trace/index.ts";
import type { LabBackend } from "./backend.ts";
import type { ClientResult, HookRecord, Observations } from "./observation.ts";
import { type LabListener, OBSERVE_ALL, type Stimulus } from "./plan.ts";
import { type HookLine, observedHook, predictedHooks } from "./predict.ts";
import { type Realised, realise } from "./realise/index.ts";

/** The same question put to the walk and to a kernel, for one hypothesis. */
export interface Conformance {
  readonly hypothesis: ReadonlyMap<string, string>;
  /** Branches of this hypothesis; the kernel followed one of them. */
  readonly branches: readonly Branch[];
  /** The branch that explains what the kernel did; undefined: none does. */
  readonly explained: Branch | undefined;
  readonly differences: readonly string[];
  readonly clientSees: ClientSees | undefined;
  readonly observed: readonly HookLine[];
  readonly observations: Observations;
  readonly realised: Realised;
}

/** A port of the ephemeral range that no rule of a case distinguishes; fixed, so that hooks can be told apart. */
export const LAB_PORT = 40_123;

/** Every combination of the consulted facts' values. */
export function hypothesesOf(exploration: Exploration): readonly ReadonlyMap<string, string>[] {
  return exploration.facts.reduce<ReadonlyMap<string, string>[]>(
    (all, fact) => all.flatMap((given) => fact.values.map((v) => new Map(given).set(fact.id, v))),
    [new Map()],
  );
}

export const branchesOf = (exploration: Exploration, given: ReadonlyMap<string, string>): readonly Branch[] =>
  exploration.branches.filter((b) => [...b.hypothesis].every(([id, values]) => values.includes(given.get(id) ?? "")));

/** The plan that puts one question to a kernel under one hypothesis. */
export function planFor(
  world: World,
  question: Question,
  branches: readonly Branch[],
  facts: ReadonlyMap<string, string>,
): Realised {
  return realise(world, {
    stimuli: [stimulusOf(question)],
    listeners: listenersOf(world, branches),
    facts,
    observe: { ...OBSERVE_ALL, hooks: "loaded" },
  });
}

function stimulusOf(q: Question): Stimulus {
  const bind = {
    ...(q.bindDevice !== undefined && { device: q.bindDevice }),
    ...(q.bindAddress !== undefined && { address: q.bindAddress }),
    ...(q.protocol === PROTO.icmp ? {} : { port: q.sport ?? LAB_PORT }),
  };
  const common = { stack: q.client, to: q.to, bind };
  if (q.protocol === PROTO.icmp) return { kind: "ping", ...common, ident: q.sport ?? LAB_PORT };
  const size = Math.max(1, q.size - 52);
  if (q.protocol === PROTO.tcp) return { kind: "connect", id: "c", port: q.port, ...common, size };
  return { kind: "udp", port: q.port, ...common, size: Math.max(1, q.size - 28) };
}

/** Wherever a branch says a socket took the packet although no dump shows one, the lab puts a listener. */
function listenersOf(world: World, branches: readonly Branch[]): readonly LabListener[] {
  return branches.flatMap((b): LabListener[] => {
    const { request } = b;
    if (request.drop === "NO_SOCKET" || (request.disposition !== "delivered" && request.disposition !== "forwarded"))
      return [];
    const { protocol, dst, dport } = request.final;
    if (protocol !== PROTO.tcp && protocol !== PROTO.udp) return [];
    const stack = world.stacks.find((s) => s.name === request.stack);
    if (stack === undefined || typeof dport !== "number") return [];
    return [
      { stack: stack.name, protocol: protocol === PROTO.tcp ? "tcp" : "udp", address: dst, family: 4, port: dport },
    ];
  });
}

export async function conform(
  backend: LabBackend,
  exploration: Exploration,
  question: Question,
  hypothesis: ReadonlyMap<string, string>,
): Promise<Conformance> {
  const { world } = exploration;
  const branches = branchesOf(exploration, hypothesis);
  const realised = planFor(world, question, branches, hypothesis);
  const observations = await backend.run(realised.plan);
  const [first] = observations.stimuli;
  const records = first === undefined ? [] : relevant(first.hooks, question);
  const observed = records.map(observedHook);
  const sees = first === undefined ? undefined : clientSees(first.result, question);
  const judged = branches.map((branch) => ({ branch, differences: compare(branch, observed, sees) }));
  const best = judged.sort((a, b) => a.differences.length - b.differences.length)[0];
  return {
    hypothesis,
    branches,
    explained: best !== undefined && best.differences.length === 0 ? best.branch : undefined,
    differences: best?.differences ?? ["the walk has no branch for this hypothesis"],
    clientSees: sees,
    observed,
    observations,
    realised,
  };
}

/**
 * The packets that the walk has legs for: the request, its answer, the first data each way, errors. Bare ACKs, FINs and
 * retransmissions follow the same way and are left out.
 */
function relevant(hooks: readonly HookRecord[], q: Question): readonly HookRecord[] {
  const seen = new Set<string>();
  return hooks.filter((h) => {
    if (h.family !== 4) return false;
    const p = h.packet;
    if (p.protocol === PROTO.tcp) {
      const opening = (p.flags & 2) !== 0 || (p.flags & 4) !== 0;
      if (!opening && p.payload === 0) return false;
      const again = `${h.stack} ${h.table}/${h.chain} ${p.flags} ${p.seq} ${p.ack} ${h.in} ${h.out} ${p.src} ${p.dst} ${p.ttl}`;
      if (seen.has(again) && q.protocol === PROTO.tcp) return false;
      seen.add(again);
    }
    return p.protocol !== PROTO.udp || q.protocol === PROTO.udp || p.dport !== 53;
  });
}

function clientSees(r: ClientResult, q: Question): ClientSees | undefined {
  if (r.outcome === "connected") return q.protocol === PROTO.tcp && r.echoed === 0 ? "stalled" : "connected";
  if (r.outcome === "timeout")
    return r.phase === "data" || r.phase === "receive" ? (q.protocol === PROTO.tcp ? "stalled" : "timeout") : "timeout";
  if (r.outcome === "icmp") return r.icmp?.type === 3 && r.icmp.code === 3 ? "refused" : "unreachable";
  switch (r.errno) {
    case "ECONNREFUSED":
      return "refused";
    case "ECONNRESET":
      return "reset";
    case "ETIMEDOUT":
      return "timeout";
    case undefined:
      return undefined;
    default:
      return "unreachable";
  }
}

/** What differs between a branch and what the kernel showed; empty: nothing. */
function compare(branch: Branch, observed: readonly HookLine[], sees: ClientSees | undefined): readonly string[] {
  const differences: string[] = [];
  if (sees !== undefined && branch.clientSees !== sees) {
    differences.push(`the client sees ${sees}, the walk says ${branch.clientSees ?? "undetermined"}`);
  }
  const predicted = predictedHooks(branch);
  const stacks = new Set([...predicted, ...observed].map((l) => l.stack));
  for (const stack of stacks) {
    const ours = predicted.filter((l) => l.stack === stack);
    const theirs = observed.filter((l) => l.stack === stack);
    const length = Math.max(ours.length, theirs.length);
    for (let i = 0; i < length; i++) {
      if (!same(ours[i], theirs[i])) {
        differences.push(
          `${stack}, hook ${i + 1}: the kernel ${theirs[i]?.text ?? "nothing more"}; the walk ${ours[i]?.text ?? "nothing more"}`,
        );
        break;
      }
    }
  }
  return differences;
}

/** A port the walk knows only as a set is a star. */
function same(ours: HookLine | undefined, theirs: HookLine | undefined): boolean {
  if (ours === undefined || theirs === undefined) return ours === theirs;
  if (!ours.text.includes("*")) return ours.text === theirs.text;
  return ours.text.replace(/:\*/g, ":0") === mask(theirs.text, ours.text);
}

function mask(text: string, pattern: string): string {
  const words = text.split(" ");
  return pattern
    .split(" ")
    .map((w, i) => (w.endsWith(":*") ? (words[i] ?? "").replace(/:\d+$/, ":0") : (words[i] ?? "")))
    .concat(words.slice(pattern.split(" ").length))
    .join(" ");
}
