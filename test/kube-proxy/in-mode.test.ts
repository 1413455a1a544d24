import { inMode, type MovedMode, PROXY_MODES } from "@hairpin/core/assemble/index.ts";
import { Askable } from "@hairpin/core/diagnose/index.ts";
import type { World } from "@hairpin/core/model/index.ts";
import { readCase } from "@hairpin/core/parse/index.ts";
import { askedOf, type Flow, sweep } from "@hairpin/core/sweep/index.ts";
import { sweptCluster } from "@hairpin/testing/swept-cluster.ts";
import { describe, expect, it } from "vitest";

const CONFIG = (mode: string): string =>
  `apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: ${mode}\nclusterCIDR: 10.128.0.0/9\n`;

/** Two nodes; a Service that keeps to its node, and one that nobody serves. */
function clusterIn(mode: MovedMode, config = true): Askable {
  const faults = [
    { kind: "local-policy", at: 1 },
    { kind: "no-endpoints", at: 2 },
  ] as const;
  const files = {
    ...sweptCluster({ nodes: 2, pods: 1, services: 3, nodePorts: 3, mode, faults }),
    ...(config && { "kube-proxy.yaml": CONFIG(mode) }),
  };
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  return new Askable({ inputs, reading: readCase(inputs), notes: [] }, []);
}

/** How every flow fares. */
function fates(askable: Askable, world?: World): Readonly<Record<string, string>> {
  const members = new Map<string, string>();
  const member = (flow: Flow, id: string): void => {
    const { from, to, proto, node = "" } = askedOf(flow);
    members.set(`${from} ${to} ${proto} ${node}`, id);
  };
  const walking = sweep(askable, { member, ...(world !== undefined && { world }) });
  for (;;) {
    const step = walking.next();
    if (step.done !== true) continue;
    const fate = new Map(step.value.classes.map((c) => [c.id, `${c.verdict} ${c.clientSees}`]));
    return Object.fromEntries([...members].map(([flow, id]) => [flow, fate.get(id)!]));
  }
}

describe("kube-proxy moved to another mode", () => {
  const asIs = new Map(PROXY_MODES.map((mode) => [mode, fates(clusterIn(mode))]));
  const moves = PROXY_MODES.flatMap((from) => PROXY_MODES.filter((to) => to !== from).map((to) => [from, to] as const));

  it("modes do not fare alike here, so that a move shows", () => {
    expect(new Set([...asIs.values()].map((f) => JSON.stringify(f))).size).toBeGreaterThan(1);
  });

  it.each(moves)("%s to %s: flows fare as where it always ran in that mode", (from, to) => {
    const askable = clusterIn(from);
    const world = inMode(askable.world, to);
    if ("id" in world) throw new Error(world.id);
    expect(fates(askable, world)).toEqual(asIs.get(to));
  });

  it("a node in that mode stays; rules of nft do not tell what kube-proxy was told", () => {
    expect(inMode(clusterIn("ipvs").world, "ipvs")).toMatchObject({ id: "error.no-node-to-move" });
    expect(inMode(clusterIn("nftables", false).world, "iptables")).toMatchObject({ id: "error.no-node-to-move" });
    expect(inMode(clusterIn("iptables", false).world, "ipvs")).toHaveProperty("stacks");
  });
});
