import { parseFactId, type World } from "@hairpin/core/model/index.ts";
import { familyOf, formatAddress, isIcmp, isIpv4, PROTO } from "@hairpin/core/net/index.ts";
import { type Branch, type ClientSees, type Exploration, type Question, trace } from "@hairpin/core/trace/index.ts";
import type { LabBackend } from "./backend.ts";
import { clientSees, compareClient } from "./compare/client.ts";
import { compareConntrack } from "./compare/conntrack.ts";
import { compareCounters } from "./compare/counters.ts";
import { compareFrames } from "./compare/frames.ts";
import { compareHooks } from "./compare/hooks.ts";
import { compareRedirects } from "./compare/redirects.ts";
import { comparable, relevant } from "./compare/relevant.ts";
import { GRE, isVxlanPort } from "./decode/packet.ts";
import type { Observations, StackState } from "./observation.ts";
import { hasNetfilter, type LabListener, OBSERVE_ALL, type Stimulus } from "./plan.ts";
import { type HookLine, hearsRedirect, observedHook, predictedHooks } from "./predict.ts";
import { type Realised, realise } from "./realise/index.ts";
import { UNFOLLOWED, unfollowed } from "./unfollowed.ts";

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
  /** Hooks of the branch that explains it, or comes closest, as far as this kernel can tell. */
  readonly predicted: readonly HookLine[];
  readonly observations: Observations;
  readonly realised: Realised;
}

/** IP and TCP with its timestamps. */
const TCP_HEADERS = 52;

/** A port of the ephemeral range that no rule of a case distinguishes; fixed, so that hooks can be told apart. */
export const LAB_PORT = 40_123;

/** A fact that no lab can bring about: on which nexthop a hash with a kernel's own seed falls. Either value is right. */
const isSecret = (id: string): boolean => parseFactId(id).kind === "multipath";

/** What a World has to settle before a kernel can be asked. */
export const settleable = ({ facts }: Exploration): Exploration["facts"] => facts.filter((f) => !isSecret(f.id));

/** Every combination of the consulted facts' values. */
export function hypothesesOf(exploration: Exploration): readonly ReadonlyMap<string, string>[] {
  return settleable(exploration).reduce<ReadonlyMap<string, string>[]>(
    (all, fact) => all.flatMap((input) => fact.values.map((v) => new Map(input).set(fact.id, v))),
    [new Map()],
  );
}

export const branchesOf = (exploration: Exploration, supplied: ReadonlyMap<string, string>): readonly Branch[] =>
  exploration.branches.filter((b) =>
    [...b.hypothesis].every(([id, values]) => isSecret(id) || values.includes(supplied.get(id) ?? "")),
  );

/** The plan that puts one question to a kernel under one hypothesis. */
export function planFor(
  world: World,
  question: Question,
  branches: readonly Branch[],
  facts: ReadonlyMap<string, string>,
): Realised {
  const realised = realise(world, {
    stimuli: [stimulusOf(question)],
    listeners: listenersOf(world, branches),
    facts,
    observe: { ...OBSERVE_ALL, hooks: "loaded" },
  });
  // The server answers as much as was asked, once it has all of it, as the walk's does.
  const whole = dataOf(question);
  const listeners = realised.plan.listeners.map((l) => (l.protocol === "tcp" ? { ...l, whole } : l));
  return { ...realised, plan: { ...realised.plan, listeners } };
}

/** What a TCP question carries behind its headers; that of IPv6 is twenty bytes longer. */
const dataOf = ({ size, to }: Question): number => Math.max(1, size - TCP_HEADERS - (isIpv4(to) ? 0 : 20));

function stimulusOf(q: Question): Stimulus {
  const bind = {
    ...(q.bindDevice !== undefined && { device: q.bindDevice }),
    ...(q.bindAddress !== undefined && { address: q.bindAddress }),
    ...(isIcmp(q.protocol) ? {} : { port: q.sport ?? LAB_PORT }),
  };
  const common = { stack: q.client, to: q.to, bind };
  // The header of IPv6 is twenty bytes longer.
  const wider = isIpv4(q.to) ? 0 : 20;
  if (isIcmp(q.protocol))
    return { kind: "ping", ...common, ident: q.sport ?? LAB_PORT, size: Math.max(1, q.size - 28 - wider) };
  if (q.protocol === PROTO.tcp) return { kind: "connect", id: "c", port: q.port, ...common, size: dataOf(q) };
  return { kind: "udp", port: q.port, ...common, size: Math.max(1, q.size - 28 - wider) };
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
      {
        stack: stack.name,
        protocol: protocol === PROTO.tcp ? "tcp" : "udp",
        address: dst,
        family: familyOf(dst),
        port: dport,
      },
    ];
  });
}

/**
 * Leaves out the connections by which the lab plays flanneld. Those of kernel tunnels stay, one for each pair of ends: which
 * source port a packet gets is the kernel's hash.
 */
function withoutOuter(states: readonly StackState[], { plan }: Realised, protocol: number): readonly StackState[] {
  const relayed = new Set(plan.relays.map((r) => r.port));
  return states.map((state) => {
    const pairs = new Set<string>();
    return {
      ...state,
      conntrack: state.conntrack.filter(({ original: o, reply, status }) => {
        if (o.protocol === PROTO.ipip || o.protocol === GRE || (o.protocol === PROTO.udp && isVxlanPort(o.dport))) {
          const pair = [o.protocol, ...[o.src, o.dst, reply.src, reply.dst].map(formatAddress), status].join(" ");
          if (pairs.has(pair)) return false;
          pairs.add(pair);
          return true;
        }
        return (
          (o.protocol === protocol || isIcmp(o.protocol)) &&
          !(o.protocol === PROTO.udp && relayed.has(o.dport) && relayed.has(o.sport))
        );
      }),
    };
  });
}

export async function conform(
  backend: LabBackend,
  exploration: Exploration,
  question: Question,
  hypothesis: ReadonlyMap<string, string>,
): Promise<Conformance> {
  const world = unfollowed(exploration.world);
  const facts = new Map([...exploration.fixed, ...hypothesis]);
  // Branches of equal fate may have gone different ways: every one is laid beside the kernel's.
  const { branches } = trace(world, question, { fixed: facts, every: true });
  const planned = planFor(world, question, branches, facts);
  const realised = branches.some(hearsRedirect) ? { ...planned, remarks: [...planned.remarks, UNFOLLOWED] } : planned;
  const observations = await backend.run(realised.plan);
  const [first] = observations.stimuli;
  const keep = relevant(question.protocol);
  // The lab's own: the fabric, switches.
  const named = new Set(world.stacks.map((s) => s.name));
  const ofTheWorld = (first?.hooks ?? []).filter((h) => named.has(h.stack));
  const observed = ofTheWorld
    .filter((h) =>
      keep(`${h.stack} ${h.backend} ${h.table} ${h.native?.chain ?? ""}/${h.chain} ${h.in} ${h.out}`, h.packet),
    )
    .map(observedHook);
  const sees = first === undefined ? undefined : clientSees(first.result, question.protocol);
  const tracked = new Set(realised.plan.stacks.filter(hasNetfilter).map((s) => s.name));
  const judged = branches.map((branch) => ({
    branch,
    differences: [
      ...compareClient(branch, first?.result, question.protocol),
      ...compareHooks(
        predictedHooks(branch, observations.ctInfo).filter((l) => comparable(branch, l.text)),
        observed.filter((l) => comparable(branch, l.text)),
      ),
      ...compareRedirects(branch, ofTheWorld, observations.ctInfo),
      ...compareFrames(branch, first?.frames ?? [], world, question.protocol),
      ...compareConntrack(branch, withoutOuter(observations.states, realised, question.protocol), tracked),
      ...compareCounters(branch, first?.counters ?? new Map()),
    ],
  }));
  const best = judged.sort((a, b) => a.differences.length - b.differences.length)[0];
  return {
    hypothesis,
    branches,
    explained: best !== undefined && best.differences.length === 0 ? best.branch : undefined,
    differences: best?.differences ?? ["the walk has no branch for this hypothesis"],
    clientSees: sees,
    observed,
    predicted: best === undefined ? [] : predictedHooks(best.branch, observations.ctInfo),
    observations,
    realised,
  };
}
