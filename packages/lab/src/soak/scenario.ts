import type { Chain, Packet, Stack, World } from "@hairpin/core/model/index.ts";
import { type Address, ANY4, isIpv4, samePrefix } from "@hairpin/core/net/index.ts";
import type { ScriptStep } from "@hairpin/core/trace/walk/script.ts";
import { frameBytes, type PacketSpec } from "../frames.ts";
import type { Change, Stimulus } from "../plan.ts";

export type SoakStep =
  | Exclude<ScriptStep, { readonly kind: "change" }>
  | { readonly kind: "change"; readonly stack: string; readonly change: Change };

/** A World and what is done to it. */
export interface Scenario {
  readonly world: World;
  readonly steps: readonly SoakStep[];
}

/** TCP sequence number of what is injected: tells it from what the kernel sends of its own. */
export const INJECTED_SEQUENCE = 1000;

/** What the walk's datagrams of 60 and pings of 84 bytes carry behind their headers: quotas count it. */
const SIZE = { udp: 32, ping: 56 };
/** Of IPv4 or IPv6 and of TCP with its timestamps, UDP or an echo. */
const headersOf = (to: Address, transport: number): number => (isIpv4(to) ? 20 : 40) + transport;
const TCP_HEADER = 32;
const UDP_HEADER = 8;

/** As the walk is told. */
export function scriptOf({ world, steps }: Scenario): readonly ScriptStep[] {
  let now = world;
  return steps.map((step): ScriptStep => {
    if (step.kind !== "change") return step;
    now = changed(now, step.stack, step.change);
    return { kind: "change", world: now };
  });
}

/** As the kernel is told. */
export function stimuliOf({ steps }: Scenario): readonly Stimulus[] {
  const ends = new Map(steps.flatMap((step) => (step.kind === "connect" ? [[step.id, step.to] as const] : [])));
  return steps.map((step) => stimulusOf(step, ends));
}

/** `ends`: whom each connection is to. */
function stimulusOf(step: SoakStep, ends: ReadonlyMap<string, Address>): Stimulus {
  switch (step.kind) {
    case "connect":
      return {
        kind: "connect",
        id: step.id,
        port: step.port,
        ...(step.size === undefined ? {} : { size: step.size - headersOf(step.to, TCP_HEADER) }),
        ...client(step, step.sport),
      };
    case "udp":
      return {
        kind: "udp",
        port: step.port,
        size: step.size === undefined ? SIZE.udp : step.size - headersOf(step.to, UDP_HEADER),
        ...client(step, step.sport),
      };
    case "ping":
      return {
        kind: "ping",
        ident: step.ident,
        size: step.size === undefined ? SIZE.ping : step.size - headersOf(step.to, UDP_HEADER),
        ...client(step, undefined),
      };
    case "send":
      return {
        ...step,
        ...(step.size === undefined ? {} : { size: step.size - headersOf(ends.get(step.id) ?? ANY4, TCP_HEADER) }),
      };
    case "close":
    case "change":
      return step;
    case "inject":
      return {
        kind: "inject",
        stack: step.stack,
        device: step.device,
        frame: frameBytes(step.destinationMac, step.sourceMac, specOf(step.packet)),
      };
  }
}

function client(
  step: Extract<SoakStep, { readonly kind: "connect" | "udp" | "ping" }>,
  port: number | undefined,
): Pick<Extract<Stimulus, { readonly kind: "ping" }>, "stack" | "to" | "bind" | "mark" | "tos"> {
  return {
    stack: step.stack,
    to: step.to,
    bind: {
      ...(port === undefined ? {} : { port }),
      ...(step.bindAddress === undefined ? {} : { address: step.bindAddress }),
      ...(step.bindDevice === undefined ? {} : { device: step.bindDevice }),
    },
    ...(step.tos === undefined ? {} : { tos: step.tos }),
    ...(step.mark === undefined ? {} : { mark: step.mark }),
  };
}

const numberOf = (port: Packet["sport"]): number => (typeof port === "number" ? port : 0);

const specOf = (p: Packet): PacketSpec => ({
  src: p.src,
  dst: p.dst,
  protocol: p.protocol,
  sport: numberOf(p.sport),
  dport: numberOf(p.dport),
  flags: p.tcpFlags,
  seq: INJECTED_SEQUENCE,
  ack: p.tcpFlags & 16 ? 2000 : 0,
  ttl: p.ttl,
  df: p.df,
  size: 0,
  ...(p.icmp === undefined ? {} : { icmp: { type: p.icmp.type, code: p.icmp.code, id: numberOf(p.icmp.id), seq: 1 } }),
  ...(p.icmp?.inner === undefined ? {} : { inner: specOf(p.icmp.inner) }),
});

/** ipt_replace: every rule of the table is a new one, and what its matches counted begins anew. */
const madeAnew = (chain: Chain): Chain => ({ ...chain, rules: chain.rules.map((rule) => ({ ...rule })) });

/** A World after a change. */
function changed(world: World, name: string, change: Change): World {
  return { ...world, stacks: world.stacks.map((s) => (s.name === name ? changedStack(s, change) : s)) };
}

function changedStack(stack: Stack, change: Change): Stack {
  switch (change.kind) {
    case "sysctl": {
      const { origin } = stack;
      const sysctls = new Map(stack.sysctls).set(change.key, { key: change.key, value: change.value, origin });
      return { ...stack, sysctls };
    }
    case "route": {
      const { route, action } = change;
      const routeTables = stack.routeTables.map((t) => {
        if (t.id !== route.table || t.family !== route.family) return t;
        if (action === "add") return { ...t, routes: [...t.routes, route] };
        const at = t.routes.findIndex((r) => r.type === route.type && samePrefix(r.destination, route.destination));
        return { ...t, routes: t.routes.filter((_, i) => i !== at) };
      });
      return { ...stack, routeTables };
    }
    case "rule": {
      const { items, extent } = stack.routingRules;
      const { rule } = change;
      const next =
        change.action === "add"
          ? [...items, rule]
          : items.filter((r) => r.preference !== rule.preference || r.family !== rule.family);
      return { ...stack, routingRules: { items: next, extent } };
    }
    case "iptables": {
      const { edit, backend, table } = change;
      const tables = stack.netfilter.tables.map((t) => {
        if (t.name !== table || t.backend !== backend || t.family !== change.family) return t;
        const chains = t.chains.map((c) => {
          if (c.name !== edit.chain) return c;
          if (edit.kind === "flush") return { ...c, rules: [] };
          if (edit.kind === "append") return { ...c, rules: [...c.rules, edit.rule] };
          if (edit.kind === "insert") {
            const at = edit.position - 1;
            return { ...c, rules: [...c.rules.slice(0, at), edit.rule, ...c.rules.slice(at)] };
          }
          const at = c.rules.indexOf(edit.rule);
          return { ...c, rules: c.rules.filter((_, i) => i !== at) };
        });
        return { ...t, chains: backend === "legacy" ? chains.map(madeAnew) : chains };
      });
      return { ...stack, netfilter: { ...stack.netfilter, tables } };
    }
    case "ipvs": {
      const key = JSON.stringify(change.service);
      const services = stack.ipvs.services.map((s) => {
        if (JSON.stringify(s.key) !== key) return s;
        const others = s.realServers.filter(
          (r) => r.address !== change.server.address || r.port !== change.server.port,
        );
        if (change.action === "delete") return { ...s, realServers: others };
        if (change.action === "add") return { ...s, realServers: [...others, change.server] };
        const realServers = s.realServers.map((r) =>
          r.address === change.server.address && r.port === change.server.port ? change.server : r,
        );
        return { ...s, realServers };
      });
      return { ...stack, ipvs: { ...stack.ipvs, services } };
    }
    default:
      throw new Error(`a change of ${change.kind} is not scripted`);
  }
}
