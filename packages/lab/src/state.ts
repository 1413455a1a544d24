import type { IptablesTableName } from "@hairpin/core/model/index.ts";
import { words } from "@hairpin/core/model/word.ts";
import { backendOf, isObserved } from "./compile/netfilter.ts";
import { decodeConntrack } from "./decode/conntrack.ts";
import { decodeIpvsConnections } from "./decode/ipvs.ts";
import { ruleCountsOf } from "./decode/rule-counts.ts";
import type { ToolRun } from "./executor/protocol.ts";
import type { Session } from "./executor/session.ts";
import type { RuleCount, StackState } from "./observation.ts";
import { hasNetfilter, type LabPlan } from "./plan.ts";

/** What the kernel keeps at the end: conntrack, IPVS connections, rule counters. */
export async function statesOf(session: Session, world: string, plan: LabPlan): Promise<readonly StackState[]> {
  const stacks = plan.stacks.filter((s) => s.role === "stack");
  const families = stacks.some((s) => s.ipv6) ? ([4, 6] as const) : ([4] as const);
  // Where there is no rule and no service nothing asked for conntrack.
  const tracked = plan.observe.conntrack ? stacks.filter(hasNetfilter) : [];
  const balanced = stacks.filter((s) => s.services.length > 0);
  const names = (some: typeof stacks): readonly string[] => some.map((s) => s.name);
  const none: Readonly<Record<string, never>> = {};
  const [entries, connections, counts] = await Promise.all([
    tracked.length === 0 ? none : session.call("conntrack", { world, stacks: names(tracked), families }),
    balanced.length === 0 ? none : session.call("read", { world, stacks: names(balanced), files: ["ip_vs_conn"] }),
    plan.observe.ruleCounts ? ruleCounts(session, world, plan) : [],
  ]);
  return stacks.map(({ name: stack }) => ({
    stack,
    conntrack: (entries[stack] ?? []).flatMap((body) => decodeConntrack(Buffer.from(body, "base64")) ?? []),
    ipvsConnections: decodeIpvsConnections(connections[stack]?.ip_vs_conn ?? ""),
    ruleCounts: counts.filter((c) => c.stack === stack),
  }));
}

async function ruleCounts(session: Session, world: string, plan: LabPlan): Promise<readonly RuleCount[]> {
  const runs = plan.stacks.flatMap((s) => {
    const kinds = new Set(s.tables.map((t) => `${backendOf(s, t)} ${t.family}`));
    return [...kinds].map((kind) => {
      const [backend, family] = kind.split(" ") as ["legacy" | "nft", "4" | "6"];
      const tool: ToolRun["tool"] = `${family === "6" ? "ip6tables" : "iptables"}-${backend}-save`;
      return { place: { stack: s.name, backend, family: family === "6" ? (6 as const) : (4 as const) }, tool };
    });
  });
  if (runs.length === 0) return [];
  const answers = await session.call("run", {
    world,
    runs: runs.map((r) => ({ stack: r.place.stack, tool: r.tool, args: words`-c` })),
  });
  return answers.flatMap((answer, i) => {
    const { place } = runs[i]!;
    return ruleCountsOf(answer.stdout, place, (table, chain) =>
      isObserved(place.stack, table as IptablesTableName, chain, plan.observe),
    );
  });
}
