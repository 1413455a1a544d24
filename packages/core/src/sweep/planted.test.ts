import { type Fault, FOUND_AS, nodeAddress, type SweptCluster, sweptCluster } from "@hairpin/testing/swept-cluster.ts";
import { describe, expect, it } from "vitest";
import { Askable } from "../diagnose/index.ts";
import { readCase } from "../parse/index.ts";
import type { Wanted } from "./plan.ts";
import { causesIn, tallyOf } from "./summary.ts";
import { sweep } from "./sweep.ts";
import type { Sweep } from "./swept.ts";

const SMALL = { nodes: 3, pods: 1, services: 3, nodePorts: 1 } as const;

function swept(
  faults: SweptCluster["faults"],
  left: readonly string[] = [],
  wanted: Wanted = {},
  size: Partial<SweptCluster> = {},
): Sweep {
  const files = Object.entries(sweptCluster({ ...SMALL, ...size, faults })).filter(([path]) => !left.includes(path));
  const inputs = files.map(([path, text]) => ({ path, text }));
  const walking = sweep(new Askable({ inputs, reading: readCase(inputs), notes: [] }, []), wanted);
  for (;;) {
    const step = walking.next();
    if (step.done === true) return step.value;
  }
}

/** Each fault, and where it is planted. */
const PLANTED: readonly (readonly [Fault, number])[] = (Object.keys(FOUND_AS) as Fault[]).map((kind) => [
  kind,
  kind === "no-endpoints" ? 2 : 1,
]);

describe("what is planted in a generated cluster", () => {
  it("nothing: nothing fails, and nothing is open", () => {
    const { classes, flows } = swept([]);
    expect(tallyOf(classes)).toEqual({
      reachable: flows,
      leaning: 0,
      intermittent: 0,
      unreachable: 0,
      undetermined: 0,
    });
  }, 120_000);

  it("nothing, in IPv6: pods of one bridge that nobody dumped find each other", () => {
    const wanted = { from: ["pod/shop/pod-0-1"], to: ["pod/shop/pod-0-0"] };
    const { classes } = swept([], [], wanted, { pods: 2, family: 6 });
    expect(classes.map((c) => `${c.proto} ${c.verdict}`).sort()).toEqual(["tcp reachable", "udp reachable"]);
  }, 120_000);

  it.each(PLANTED)(
    "%s is found, and nothing else is claimed",
    (kind, at) => {
      const local = kind === "local-policy" ? { nodes: 4, nodePorts: 2 } : {};
      const wanted = kind === "local-policy" ? { to: ["svc/shop/svc-1"] } : {};
      const causes = causesIn(swept([{ kind, at }], [], wanted, local).classes);
      const { at: place, codes } = FOUND_AS[kind];
      expect(causes.map((c) => `${c.code} ${c.at}`).sort()).toEqual(codes.map((code) => `${code} ${place(at)}`));
    },
    120_000,
  );

  // The answer comes back past the node that translated, and the client's node drops it as of no connection: with the masquerade in place
  // the node would not know the way back either, so that no single change cures it.
  it("two in a row: the drop that both come to is not named in their place", () => {
    const size = { nodes: 5, nodePorts: 2 };
    const faults = [{ kind: "local-policy", at: 1 } as const, { kind: "blackhole-route", at: 1 } as const];
    const { classes } = swept(faults, [], { from: ["pod/shop/pod-2-0"], to: ["svc/shop/svc-1"] }, size);
    const both = classes.find((c) => c.to.address === nodeAddress(1))!;
    expect(both.causes.map((c) => `${c.code} ${c.stack}`)).toEqual([
      "MASQ_MISSING_REMOTE_ENDPOINT node-1",
      "RULE_DROP node-2",
      "BLACKHOLE_ROUTE node-1",
    ]);
  }, 120_000);

  // The kernel writes `proto kernel … src ADDR` while a device is up and has the address; bridge ports are listed by themselves.
  it("a node's addresses follow from its routes, and from nothing else", () => {
    const wanted = { from: ["node/node-0"], to: ["pod/shop/pod-1-0"] };
    const routes = swept([], ["nodes/node-1/ip-addr.txt"], wanted);
    expect(tallyOf(routes.classes).reachable).toBe(routes.flows);
    const neither = swept([], ["nodes/node-1/ip-addr.txt", "nodes/node-1/ip-route.txt"], wanted);
    expect(neither.flows).toBeGreaterThan(0);
    expect(tallyOf(neither.classes).reachable).toBe(0);
  }, 120_000);
});
