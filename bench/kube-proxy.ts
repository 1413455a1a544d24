import { spawnSync } from "node:child_process";
import { DEFAULT_CONFIG, type ProxyInput, programme } from "../packages/core/src/kubernetes/index.ts";
import { type KubernetesEndpoints, type KubernetesService, read } from "../packages/core/src/model/index.ts";
import { ipv4Of, PROTO } from "../packages/core/src/net/index.ts";
import { printTables } from "../packages/core/src/parse/iptables/index.ts";

const SERVICES = 1000;
const ENDPOINTS = 10;

/** A cluster seen from one of its nodes: every fourth Service has a NodePort, every tenth a load balancer with the Local policy. */
export function generateCluster(services: number, endpoints: number): ProxyInput {
  const objects: KubernetesService[] = [];
  const slices: KubernetesEndpoints[] = [];
  for (let i = 0; i < services; i++) {
    const name = `service-${i}`;
    const namespace = `ns-${i % 40}`;
    const balanced = i % 10 === 0;
    const exposed = balanced || i % 4 === 0;
    objects.push({
      namespace,
      name,
      type: balanced ? "LoadBalancer" : exposed ? "NodePort" : "ClusterIP",
      clusterIps: [ipv4Of(0x0a600000 + i)],
      externalIps: [],
      loadBalancerIps: balanced ? [ipv4Of(0xc6336400 + (i % 250))] : [],
      ports: [
        {
          name: "http",
          protocol: PROTO.tcp,
          port: 80,
          targetPort: 8080,
          ...(exposed ? { nodePort: 30000 + i } : {}),
        },
      ],
      externalTrafficPolicy: balanced ? "Local" : "Cluster",
      form: "object",
      origin: read("services.yaml", i * 30 + 1),
    });
    slices.push({
      kind: "EndpointSlice",
      namespace,
      name: `${name}-abcde`,
      service: name,
      family: 4,
      ports: [{ name: "http", protocol: PROTO.tcp, port: 8080 }],
      endpoints: Array.from({ length: endpoints }, (_, j) => ({
        addresses: [ipv4Of(0x0af40000 + i * endpoints + j)],
        ready: true,
        serving: true,
        terminating: false,
        nodeName: `node-${j}`,
        origin: read("slices.yaml", (i * endpoints + j) * 8 + 1),
      })),
      origin: read("slices.yaml", i * endpoints * 8 + 1),
    });
  }
  return {
    services: objects,
    endpoints: slices,
    node: {
      name: "node-0",
      labels: {},
      addresses: [ipv4Of(0xc000020b)],
      podCidrs: ["10.244.0.0/24"],
      origin: read("nodes.yaml", 1),
    },
    config: { ...DEFAULT_CONFIG, detectLocal: { mode: "ClusterCIDR", clusterCidrs: ["10.244.0.0/16"] } },
    version: { minor: 34, patch: 0 },
  };
}

/** The processor's time in milliseconds: the neighbours of a shared machine do not count. */
function cpu<T>(work: () => T): { readonly ms: number; readonly result: T } {
  const start = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(start);
  return { ms: (user + system) / 1000, result };
}

/** User and system time of a child, from the shell's `times`: its second line is of what it waited for. */
function restoreMs(text: string): number | string {
  const script = "iptables-legacy-restore --test >&2 && times";
  const done = spawnSync("sh", ["-c", script], { input: text, encoding: "utf8" });
  const match = /\n(\d+)m([\d.]+)s (\d+)m([\d.]+)s/.exec(done.stdout);
  if (done.status !== 0 || match === null) return done.stderr.trim() || "no iptables-legacy-restore";
  const [, um, us, sm, ss] = match.map(Number) as [number, number, number, number, number];
  return (um * 60 + us + sm * 60 + ss) * 1000;
}

/** Objects of 1,000 Services × 10 endpoints to the rules of one node: under a second of CPU. */
export async function benchKubeProxy(): Promise<void> {
  const input = generateCluster(SERVICES, ENDPOINTS);
  const model = () => {
    const made = programme(input);
    if (made.kind !== "programmed") throw new Error(made.mode);
    return made.families.find((f) => f.family === 4)!.tables;
  };
  const cold = cpu(model);
  const warm = Math.min(...Array.from({ length: 5 }, () => cpu(model).ms));
  const text = printTables(cold.result);
  const rules = text.split("\n").filter((l) => l.startsWith("-A")).length;
  const theirs = restoreMs(text);
  const ms = (n: number) => `${n.toFixed(0)} ms`;
  const compared =
    typeof theirs === "string"
      ? `iptables-legacy-restore --test was not measured: ${theirs}`
      : `iptables-legacy-restore --test ${ms(theirs)}, ${(theirs / cold.ms).toFixed(1)} times as long as cold`;
  const kept = cold.ms < 1000;
  console.log(
    `kube-proxy's iptables mode, 1,000 Services × 10 endpoints (${rules} rules): cold ${ms(cold.ms)}, warm ${ms(warm)}; ` +
      `${compared}; bound 1 s of CPU: ${kept ? "kept" : "BROKEN"}`,
  );
  if (!kept) process.exitCode = 1;
}
