import { describe, expect, test } from "vitest";
import { assumed, type KubernetesService } from "../model/index.ts";
import { ANY4, ipv4Of } from "../net/index.ts";
import { chooseEndpoints } from "./choose-endpoints.ts";
import type { ProxyEndpoint } from "./endpoints.ts";
import { type FeatureGates, featuresOf } from "./feature-gates.ts";
import { servicePortsOf } from "./service-ports.ts";
import { parseVersion } from "./version.ts";

const origin = assumed("test");

const endpoint = (text: string, rest: Partial<ProxyEndpoint> = {}): ProxyEndpoint => ({
  address: ANY4,
  port: 80,
  text,
  isLocal: false,
  ready: true,
  serving: true,
  terminating: false,
  zoneHints: [],
  nodeHints: [],
  origin,
  ...rest,
});

const leaving = { ready: false, serving: true, terminating: true } as const;
const gone = { ready: false, serving: false, terminating: true } as const;

function choose(
  release: string,
  endpoints: readonly ProxyEndpoint[],
  service: Partial<KubernetesService> = {},
  gates: FeatureGates = {},
) {
  const version = parseVersion(release)!;
  const features = featuresOf(version, gates);
  const one: KubernetesService = {
    namespace: "shop",
    name: "web",
    type: "NodePort",
    clusterIps: [ipv4Of(1)],
    externalIps: [],
    loadBalancerIps: [],
    ports: [{ protocol: 6, port: 80, nodePort: 30080 }],
    origin,
    ...service,
  };
  const [port] = servicePortsOf(one, 4, version, features);
  const node = {
    name: "here",
    labels: { "topology.kubernetes.io/zone": "west" },
    addresses: [],
    podCidrs: [],
    origin,
  };
  const { cluster, local, reachable, hasAny } = chooseEndpoints(endpoints, port!, { node, version, features });
  const texts = (list: readonly ProxyEndpoint[]) => list.map((e) => e.text).join(" ");
  return { cluster: texts(cluster), local: texts(local), reachable: texts(reachable), hasAny };
}

describe("ready endpoints before those on their way out", () => {
  const mixed = [endpoint("a"), endpoint("b", leaving), endpoint("c", gone)];

  test("one ready endpoint is enough", () => {
    expect(choose("1.31.0", mixed)).toEqual({ cluster: "a", local: "", reachable: "a", hasAny: true });
  });

  test("none ready: those that still serve, from 1.26 or with the gate", () => {
    const last = mixed.slice(1);
    expect(choose("1.31.0", last).cluster).toBe("b");
    expect(choose("1.25.0", last)).toMatchObject({ cluster: "", hasAny: false });
    expect(choose("1.25.0", last, {}, { ProxyTerminatingEndpoints: true }).cluster).toBe("b");
    expect(choose("1.27.0", last, {}, { ProxyTerminatingEndpoints: false }).hasAny).toBe(false);
  });

  test("each policy for itself: ready elsewhere, leaving here", () => {
    const both = [endpoint("far"), endpoint("near", { ...leaving, isLocal: true })];
    const local = { externalTrafficPolicy: "Local" } as const;
    expect(choose("1.31.0", both, local)).toEqual({
      cluster: "far",
      local: "near",
      reachable: "far near",
      hasAny: true,
    });
    expect(choose("1.25.0", both, local)).toMatchObject({ local: "", reachable: "far" });
    expect(choose("1.23.0", both, local, { ProxyTerminatingEndpoints: true }).local).toBe("near");
  });
});

describe("policies", () => {
  const two = [endpoint("far"), endpoint("near", { isLocal: true })];

  test("internal Local leaves the Cluster policy to external addresses", () => {
    const internal = { internalTrafficPolicy: "Local" } as const;
    expect(choose("1.31.0", two, internal)).toMatchObject({ cluster: "far near", local: "near" });
    const only = { ...internal, type: "ClusterIP", ports: [{ protocol: 6, port: 80 }] } as const;
    expect(choose("1.31.0", two, only)).toEqual({ cluster: "", local: "near", reachable: "near", hasAny: true });
  });

  test("nobody here is not nobody at all", () => {
    const far = [endpoint("far")];
    const only = { type: "ClusterIP", internalTrafficPolicy: "Local", ports: [{ protocol: 6, port: 80 }] } as const;
    expect(choose("1.31.0", far, only)).toMatchObject({ reachable: "", hasAny: true });
    // Up to 1.23 there was no telling them apart: the Service has no endpoints.
    expect(choose("1.22.17", far, only)).toMatchObject({ cluster: "", hasAny: false });
  });

  test("up to 1.20 there was no internal policy", () => {
    expect(choose("1.20.15", two, { internalTrafficPolicy: "Local" }).cluster).toBe("far near");
  });
});

describe("hints", () => {
  const hinted = [endpoint("w", { zoneHints: ["west"] }), endpoint("e", { zoneHints: ["east"] })];
  const auto = { topologyMode: "Auto" };

  test("by zone: with the annotation, from 1.30 without it", () => {
    expect(choose("1.24.0", hinted, auto).cluster).toBe("w");
    expect(choose("1.24.0", hinted).cluster).toBe("w e");
    expect(choose("1.26.0", hinted, { topologyMode: "PreferZone" }).cluster).toBe("w e");
    expect(choose("1.27.0", hinted, { topologyMode: "PreferZone" }).cluster).toBe("w");
    expect(choose("1.30.0", hinted).cluster).toBe("w");
    expect(choose("1.20.0", hinted, auto).cluster).toBe("w e");
  });

  test("all or nothing", () => {
    expect(choose("1.33.0", [...hinted, endpoint("x")]).cluster).toBe("w e x");
    expect(choose("1.33.0", [hinted[1]!]).cluster).toBe("e");
  });

  test("by node first, from 1.33", () => {
    const nodes = [
      endpoint("here", { zoneHints: ["west"], nodeHints: ["here"] }),
      endpoint("near", { zoneHints: ["west"], nodeHints: ["there"] }),
      endpoint("far", { zoneHints: ["east"], nodeHints: ["yonder"] }),
    ];
    expect(choose("1.33.0", nodes).cluster).toBe("here");
    expect(choose("1.32.0", nodes).cluster).toBe("here near");
    expect(choose("1.34.0", nodes, {}, { PreferSameTrafficDistribution: false }).cluster).toBe("here near");
    expect(choose("1.35.0", nodes, {}, { PreferSameTrafficDistribution: false }).cluster).toBe("here");
  });

  test("do not touch the Local policy, and what it takes is reachable too", () => {
    const local = { externalTrafficPolicy: "Local" } as const;
    const mine = [endpoint("w", { zoneHints: ["west"] }), endpoint("e", { zoneHints: ["east"], isLocal: true })];
    expect(choose("1.33.0", mine, local)).toEqual({ cluster: "w", local: "e", reachable: "w e", hasAny: true });
  });
});

test("until 1.22.4 an endpoint that is not ready kept packets from being rejected", () => {
  const unready = [endpoint("a", gone)];
  expect(choose("1.22.3", unready)).toMatchObject({ cluster: "", hasAny: true });
  expect(choose("1.22.4", unready).hasAny).toBe(false);
  expect(choose("1.21.0", unready).hasAny).toBe(false);
});
