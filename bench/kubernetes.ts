import { readCase } from "../packages/core/src/parse/index.ts";

/** Services as `kubectl get svc -A` prints them, in both forms. */
export function generateServices(n: number): { readonly yaml: string; readonly json: string } {
  const items = Array.from({ length: n }, (_, i) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      annotations: { "example.com/owner": `team-${i % 17}`, "example.com/note": "shown: as is" },
      creationTimestamp: "2024-01-02T03:04:05Z",
      labels: { app: `app-${i}`, "app.kubernetes.io/managed-by": "Helm" },
      name: `service-${i}`,
      namespace: `ns-${i % 40}`,
      resourceVersion: String(100000 + i),
      uid: `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`,
    },
    spec: {
      clusterIP: `10.${96 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}`,
      clusterIPs: [`10.${96 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}`],
      internalTrafficPolicy: "Cluster",
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      ports: [
        { name: "http", port: 80, protocol: "TCP", targetPort: 8080 },
        { name: "metrics", port: 9090, protocol: "TCP", targetPort: "metrics" },
      ],
      selector: { app: `app-${i}` },
      sessionAffinity: "None",
      type: "ClusterIP",
    },
    status: { loadBalancer: {} },
  }));
  const list = { apiVersion: "v1", items, kind: "List", metadata: { resourceVersion: "" } };
  return { yaml: toYaml(list, 0).join("\n").concat("\n"), json: JSON.stringify(list, null, 4) };
}

const scalar = (v: unknown): string =>
  typeof v === "string" && (/^(?:\d+|)$/.test(v) || /: |^\d{4}-/.test(v)) ? JSON.stringify(v) : String(v);

function toYaml(value: object, indent: number): string[] {
  const pad = " ".repeat(indent);
  return Object.entries(value).flatMap(([key, v]): string[] => {
    if (typeof v !== "object" || v === null) return [`${pad}${key}: ${scalar(v)}`];
    if (Object.keys(v).length === 0) return [`${pad}${key}: ${Array.isArray(v) ? "[]" : "{}"}`];
    if (!Array.isArray(v)) return [`${pad}${key}:`, ...toYaml(v, indent + 2)];
    const items = v.flatMap((item: unknown): string[] => {
      if (typeof item !== "object" || item === null) return [`${pad}- ${scalar(item)}`];
      const [first = "", ...rest] = toYaml(item, indent + 2);
      return [`${pad}- ${first.trimStart()}`, ...rest];
    });
    return [`${pad}${key}:`, ...items];
  });
}

function best(times: number, work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < times; i++) {
    // The processor's time: the neighbours of a shared machine do not count.
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** 10,000 Services as kubectl YAML, from text to records: within three times JSON.parse of the same plus one second. */
export async function benchKubernetes(): Promise<void> {
  const { yaml, json } = generateServices(10_000);
  const read = (path: string, text: string) => {
    const services = readCase([{ path, text }]).dumps.flatMap((d) =>
      d.reading.facts.flatMap((f) => (f.kind === "kubernetes" ? f.objects.services : [])),
    );
    if (services.length !== 10_000) throw new Error(`${services.length} Services were read`);
  };
  const cold = best(1, () => read("services.yaml", yaml));
  const warm = best(3, () => read("services.yaml", yaml));
  const asJson = best(3, () => read("services.json", json));
  const parse = best(5, () => void JSON.parse(json));
  const bound = 3 * parse + 1000;
  const ms = (n: number) => `${n.toFixed(0)} ms`;
  const size = `${(yaml.length / 1e6).toFixed(1)} MB, ${yaml.split("\n").length} lines`;
  console.log(
    `10,000 Services as kubectl YAML (${size}): cold ${ms(cold)}, warm ${ms(warm)}; as JSON ${ms(asJson)}; ` +
      `JSON.parse ${ms(parse)}; bound 3 × JSON.parse + 1 s = ${ms(bound)}: ${cold <= bound ? "kept" : "BROKEN"}`,
  );
  if (cold > bound) process.exitCode = 1;
}
