import { Askable, diagnose } from "@hairpin/core/diagnose/index.ts";
import { readCase } from "@hairpin/core/parse/index.ts";
import { objectsCluster } from "@hairpin/testing/objects-cluster.ts";
import { describe, expect, it } from "vitest";

const MODES = ["iptables", "ipvs", "nftables"] as const;
const ADDRESSES = ["10.0.0.10:30000", "[fd00:a::a:0:0:1]:30000"];

describe("a field of a Service that is changed, where nodes are known by their objects alone", () => {
  it.each(MODES.flatMap((mode) => ADDRESSES.map((to) => [mode, to] as const)))(
    "counts in what kube-proxy writes in %s mode for %s",
    (mode, to) => {
      const endpoints = [{ node: 2, pod: 0, ready: true }];
      const services = [{ nodePort: true, local: true, endpoints }];
      const inputs = [
        { path: "objects.json", text: objectsCluster({ mode, dual: true, nodes: 3, zones: 1, pods: 1, services }) },
      ];
      const askable = new Askable({ inputs, reading: readCase(inputs), notes: [] }, []);
      const { judgement, causes, fixes } = diagnose(askable, { from: "node/node-1", to });
      expect([judgement.verdict, causes[0]?.certainty]).toEqual(["unreachable", "proven"]);
      expect(fixes.map((f) => `${f.code} ${f.proof.verdict}`)).toContain("EXTERNAL_POLICY_CLUSTER reachable");
    },
  );
});
