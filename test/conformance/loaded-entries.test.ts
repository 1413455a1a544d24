import type { ConntrackEntry, World } from "@hairpin/core/model/index.ts";
import { PROTO } from "@hairpin/core/net/index.ts";
import { trace } from "@hairpin/core/trace/index.ts";
import { describe, expect, test } from "vitest";
import { loadConformance } from "./cases.ts";
import { ip } from "./scripted.ts";

/**
 * Entries that a dump of conntrack shows are there before the first packet; a fresh namespace has none, so that the walk
 * alone is asked. What the kernel does with an entry it has is in sequences.test.ts.
 */
const CASE = "dnat-to-the-node-itself";
const origin = { kind: "assumed", rule: "test" } as const;

const entry = (backend: string, port: number): ConntrackEntry => ({
  original: { protocol: PROTO.udp, src: ip("10.1.0.2"), sport: 40_123, dst: ip("10.96.0.10"), dport: 88 },
  reply: { protocol: PROTO.udp, src: ip(backend), sport: port, dst: ip("10.1.0.2"), dport: 40_123 },
  assured: false,
  unreplied: true,
  mark: 0,
  zone: 0,
  origin,
});

function walkWith(entries: readonly ConntrackEntry[]) {
  const { world, question } = loadConformance(CASE);
  const loaded: World = {
    ...world,
    stacks: world.stacks.map((s) =>
      s.name === "r" ? { ...s, conntrack: { items: entries, extent: "whole" as const } } : s,
    ),
  };
  return trace(loaded, question, { every: true }).branches;
}

describe("entries loaded from a dump", () => {
  test("without one the rule decides", () => {
    const [branch, ...others] = walkWith([]);
    expect(others).toEqual([]);
    expect([branch!.clientSees, branch!.request.final.dst]).toEqual(["connected", ip("10.2.0.1")]);
  });

  test("a stale one wins over the rule: the packet goes to a back end that is gone", () => {
    const [branch] = walkWith([entry("10.2.0.99", 9000)]);
    expect(branch!.request.final.dst).toBe(ip("10.2.0.99"));
    expect(branch!.request.drop).toBe("NEIGH_FAILED");
    const hooks = branch!.request.steps.filter((s) => s.kind === "hook" && s.table === "nat");
    expect(hooks, "nat rules are not run again").toEqual([]);
  });

  test("one of another connection does not concern it", () => {
    const other = entry("10.2.0.99", 9000);
    const [branch] = walkWith([
      { ...other, original: { ...other.original, sport: 5 }, reply: { ...other.reply, dport: 5 } },
    ]);
    expect(branch!.clientSees).toBe("connected");
  });

  test("one that has the translated tuple moves the port of the new connection", () => {
    const taken: ConntrackEntry = {
      ...entry("10.2.0.1", 9000),
      original: { protocol: PROTO.udp, src: ip("10.1.0.2"), sport: 40_123, dst: ip("10.2.0.1"), dport: 9000 },
    };
    const [branch] = walkWith([taken]);
    const port = branch!.request.final.sport;
    expect(typeof port, "a null binding draws another port").toBe("object");
  });
});
