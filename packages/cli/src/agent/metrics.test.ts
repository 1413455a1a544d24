import { packed } from "@hairpin/collect/index.ts";
import { sweptCluster } from "@hairpin/testing/swept-cluster.ts";
import { expect, test } from "vitest";
import { counters } from "./counters.ts";
import { look } from "./look.ts";
import { metricsText } from "./prometheus.ts";

test("Prometheus' form: families with samples, values of labels escaped", () => {
  const family = { name: "hairpin_x", type: "gauge", help: "X.", samples: [[{ node: 'a"\\\n' }, 2]] } as const;
  expect(metricsText([family, { ...family, name: "hairpin_none", samples: [] }])).toBe(
    '# HELP hairpin_x X.\n# TYPE hairpin_x gauge\nhairpin_x{node="a\\"\\\\\\n"} 2\n',
  );
});

test("drops that the kernel counts, each with its cause; what was not read is not told", () => {
  const counted = {
    nstat: "#kernel\nTcpExtIPReversePathFilter       7                  0.0\n",
    conntrack: "cpu=0 \tfound=1 invalid=3 insert=0\ncpu=1 \tfound=1 invalid=4 insert=0\n",
    routes: "entries in_hit in_martian_src\n00000001 00000000 0000000a\n00000001 00000000 00000001\n",
  };
  const text = metricsText(counters(counted, "a"));
  expect(text).toContain('hairpin_rp_filter_drops_total{node="a",cause="RP_FILTER_STRICT"} 7\n');
  expect(text).toContain('hairpin_martian_packets_total{node="a",cause="MARTIAN_LOCAL_SOURCE"} 11\n');
  expect(text).toContain('hairpin_conntrack_invalid_total{node="a",cause="CONNTRACK_INVALID_RST"} 7\n');
  expect(metricsText(counters({ nstat: "", conntrack: "", routes: "" }, "a"))).toBe("");
});

async function told(faults: readonly { readonly kind: "blackhole-route"; readonly at: number }[]): Promise<string> {
  const files = sweptCluster({ nodes: 2, pods: 1, services: 1, nodePorts: 0, faults });
  const own = Object.entries(files).filter(([path]) => path.startsWith("nodes/node-0/"));
  const bundle = packed(own.map(([path, text]) => ({ path, text })));
  const objects = [{ path: "kubernetes/objects.yaml", text: files["objects.yaml"]! }];
  return metricsText(await look({ node: "node-0", bundle, objects, routes: "", maxSeconds: 60 }));
}

test("drift and flows that fail, by their cause", { timeout: 60_000 }, async () => {
  const broken = await told([{ kind: "blackhole-route", at: 0 }]);
  expect(broken).toMatch(/^hairpin_sweep_failing_flows\{node="node-0",cause="BLACKHOLE_ROUTE"\} [1-9]/m);
  expect(broken).toMatch(/^hairpin_drift\{node="node-0",cause="KUBE_PROXY_DRIFT"\} \d+$/m);
  expect(await told([])).not.toContain("BLACKHOLE_ROUTE");
});
