import type { Chain, IptablesTable, Stack, World } from "@hairpin/core/model/index.ts";
import type { LabBackend } from "../backend.ts";
import { sysctlParts } from "../compile/sysctls.ts";
import { type Judgement, judge } from "./judge.ts";
import type { Scenario } from "./scenario.ts";

type Differing = Extract<Judgement, { readonly kind: "differs" }>;

/** At most so many smaller scenarios are tried; an emulated kernel is slow. */
const LIMIT = { netns: 500, vm: 100 };

/** The smallest scenario that still differs, found by leaving out one thing after another. */
export async function shrink(
  backend: LabBackend,
  scenario: Scenario,
  judgement: Differing,
): Promise<{ readonly scenario: Scenario; readonly judgement: Differing }> {
  let best = { scenario, judgement };
  let tries = 0;
  const limit = LIMIT[backend.profile.backend];
  // What follows the step that differs cannot matter.
  const cut = { ...scenario, steps: scenario.steps.slice(0, judgement.step + 1) };
  for (let progress = true, first = true; progress && tries < limit; first = false) {
    progress = false;
    const candidates = first ? [cut] : [];
    for (const candidate of [...candidates, ...smaller(best.scenario)]) {
      if (tries++ >= limit) break;
      // Candidates are made from the best at the start of the round; those that no longer apply are the next round's.
      const again = first && candidate === cut ? cut : candidate;
      const answer = await judge(backend, again).catch(() => undefined);
      if (answer?.kind !== "differs") continue;
      // A step whose device is gone ends the walk by itself.
      if (answer.run === undefined && judgement.run !== undefined) continue;
      best = { scenario: again, judgement: answer };
      progress = true;
      break;
    }
  }
  return best;
}

const without = <T>(items: readonly T[], i: number): readonly T[] => items.filter((_, j) => j !== i);

function* smaller(scenario: Scenario): Generator<Scenario> {
  const { world, steps } = scenario;
  for (let i = steps.length - 1; i >= 0; i--) yield { world, steps: without(steps, i) };
  for (const stack of world.stacks) {
    const used = steps.some((s) => "stack" in s && s.stack === stack.name);
    if (used || world.stacks.length === 1) continue;
    yield { world: withoutStack(world, stack.name), steps };
  }
  for (const [i, stack] of world.stacks.entries()) {
    for (const less of smallerStack(stack)) {
      yield { world: { ...world, stacks: world.stacks.map((s, j) => (j === i ? less : s)) }, steps };
    }
  }
}

function withoutStack(world: World, name: string): World {
  const gone = world.links.filter((l) => l.type === "veth" && l.ends.some((e) => e.stack === name));
  const lost = new Set(gone.flatMap((l) => l.ends.map((e) => `${e.stack}\n${e.device}`)));
  const links = world.links
    .filter((l) => !gone.includes(l))
    .map((l) => (l.type === "veth" ? l : { ...l, ends: l.ends.filter((e) => e.stack !== name) }))
    .filter((l) => l.ends.length > 0);
  const stacks = world.stacks
    .filter((s) => s.name !== name)
    .map((s) => withoutDevices(s, (device) => lost.has(`${s.name}\n${device}`)));
  return { ...world, stacks, links };
}

function withoutDevices(stack: Stack, gone: (device: string) => boolean): Stack {
  if (!stack.devices.items.some((d) => gone(d.name))) return stack;
  return {
    ...stack,
    devices: { ...stack.devices, items: stack.devices.items.filter((d) => !gone(d.name)) },
    routeTables: stack.routeTables.map((t) => ({
      ...t,
      routes: t.routes.filter((r) => !r.nexthops.some((h) => h.device !== undefined && gone(h.device))),
    })),
    neighbours: { ...stack.neighbours, items: stack.neighbours.items.filter((n) => !gone(n.device)) },
    fdb: { ...stack.fdb, items: stack.fdb.items.filter((e) => !gone(e.device)) },
    sysctls: new Map([...stack.sysctls].filter(([key]) => !gone(sysctlParts(key)[3] ?? ""))),
  };
}

function* smallerStack(stack: Stack): Generator<Stack> {
  const { tables } = stack.netfilter;
  const withTables = (next: readonly IptablesTable[]): Stack => ({
    ...stack,
    netfilter: { ...stack.netfilter, tables: next },
  });
  if (tables.length > 1) for (const i of tables.keys()) yield withTables(without(tables, i));
  for (const [i, table] of tables.entries()) {
    const withChain = (at: number, chain: Chain | undefined): Stack =>
      withTables(
        tables.map((t, j) =>
          j === i ? { ...t, chains: t.chains.flatMap((c, k) => (k === at ? (chain ?? []) : c)) } : t,
        ),
      );
    for (const [k, chain] of table.chains.entries()) {
      const called = table.chains.some((c) =>
        c.rules.some((r) => r.target.kind === "jump" && r.target.chain === chain.name),
      );
      if (!called && chain.policy === undefined) yield withChain(k, undefined);
      if (chain.policy === "DROP") yield withChain(k, { ...chain, policy: "ACCEPT" });
      if (chain.rules.length > 1) yield withChain(k, { ...chain, rules: [] });
      for (const n of chain.rules.keys()) {
        yield withChain(k, { ...chain, rules: without(chain.rules, n) });
        const rule = chain.rules[n]!;
        for (const m of rule.matches.keys()) {
          const less = { ...rule, matches: without(rule.matches, m) };
          yield withChain(k, { ...chain, rules: chain.rules.map((r, x) => (x === n ? less : r)) });
        }
      }
    }
  }
  for (const [i, service] of stack.ipvs.services.entries()) {
    yield { ...stack, ipvs: { ...stack.ipvs, services: without(stack.ipvs.services, i) } };
    for (const j of service.realServers.keys()) {
      const less = { ...service, realServers: without(service.realServers, j) };
      yield { ...stack, ipvs: { ...stack.ipvs, services: stack.ipvs.services.map((s, x) => (x === i ? less : s)) } };
    }
  }
  const { items } = stack.routingRules;
  for (const [i, rule] of items.entries()) {
    if (rule.preference === 0 || rule.preference >= 32766) continue;
    yield { ...stack, routingRules: { ...stack.routingRules, items: without(items, i) } };
  }
  for (const [i, table] of stack.routeTables.entries()) {
    for (const [j, route] of table.routes.entries()) {
      if (route.protocol === "kernel") continue;
      const less = { ...table, routes: without(table.routes, j) };
      yield { ...stack, routeTables: stack.routeTables.map((t, x) => (x === i ? less : t)) };
    }
  }
  for (const [key, entry] of stack.sysctls) {
    const usual = key.endsWith("bridge-nf-call-iptables") ? "1" : "0";
    if (key === "net.ipv4.ip_forward") continue;
    if (entry.value === usual || key.includes(".vs.")) continue;
    yield { ...stack, sysctls: new Map(stack.sysctls).set(key, { ...entry, value: usual }) };
  }
  for (const d of stack.devices.items) {
    if (d.name === "lo" || d.kind !== "dummy") continue;
    yield withoutDevices(stack, (name) => name === d.name);
  }
}
