import type {
  KubernetesEndpoints,
  KubernetesService,
  Origin,
  ServicePort,
  TrafficPolicy,
} from "../../../model/index.ts";
import { type Address, parseAddress } from "../../../net/index.ts";
import { input, type ObjectContext } from "../objects/context.ts";
import { endpointsOf } from "../table/rows.ts";
import { type Description, type Field, fieldOf, textOf } from "./fields.ts";

const TYPES = ["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"] as const;
const POLICIES: readonly TrafficPolicy[] = ["Cluster", "Local"];

/** `10.0.0.1,fd00::1`; a balancer's may be a name, and newer ones say `(VIP)` behind the address. */
const addressesIn = (text: string | undefined): readonly Address[] =>
  (text ?? "").split(",").flatMap((t) => parseAddress(t.trim().replace(/\s*\((?:VIP|Proxy)\)$/, "")) ?? []);

/** `app=web,tier=front`. */
const labelsIn = (text: string | undefined): Readonly<Record<string, string>> | undefined =>
  text === undefined
    ? undefined
    : Object.fromEntries(text.split(",").map((pair) => pair.split("=", 2).concat("") as [string, string]));

/** `http  80/TCP`, `<unset>  80/TCP`, `80/TCP`. */
function numbered(
  text: string,
): { readonly name?: string; readonly port: string; readonly protocol: string } | undefined {
  const match = /^(?:(\S+)\s+)?([\w-]+)\/(TCP|UDP|SCTP)$/.exec(text);
  if (match === null) return undefined;
  const [, name, port = "", protocol = ""] = match;
  return { port, protocol, ...input({ name: name === undefined || name === "<unset>" ? undefined : name }) };
}

interface Ported {
  readonly port: ServicePort;
  readonly endpoints?: Field;
}

/** Port, TargetPort, NodePort and Endpoints come in this order for each port. */
function portsOf({ fields }: Description, context: ObjectContext): readonly Ported[] {
  const ports: { port: ServicePort; endpoints?: Field }[] = [];
  for (const field of fields.filter((f) => !f.nested)) {
    const read = numbered(field.value);
    const last = ports[ports.length - 1];
    if (field.name === "Port" && read !== undefined)
      ports.push({
        port: {
          ...input({ name: read.name }),
          protocol: context.protocol(read.protocol, field.line),
          port: Number(read.port),
        },
      });
    else if (last === undefined) continue;
    else if (field.name === "TargetPort" && read !== undefined)
      last.port = { ...last.port, targetPort: /^\d+$/.test(read.port) ? Number(read.port) : read.port };
    else if (field.name === "NodePort" && read !== undefined) last.port = { ...last.port, nodePort: Number(read.port) };
    else if (field.name === "Endpoints") last.endpoints = field;
  }
  return ports;
}

export interface Described {
  readonly service: KubernetesService;
  readonly endpoints: readonly KubernetesEndpoints[];
}

/** A Service as `kubectl describe` tells of it; all that kube-proxy goes by is printed, of its endpoints the first few. */
export function describedService(described: Description, context: ObjectContext): Described {
  const value = (name: string): string | undefined => textOf(described, name);
  const name = value("Name") ?? "";
  const namespace = value("Namespace") ?? context.namespace;
  const ported = portsOf(described, context);
  const policy = (text: string | undefined): TrafficPolicy | undefined => POLICIES.find((p) => p === text);
  const ip = value("IPs") ?? value("IP");
  const health = Number(value("HealthCheck NodePort") ?? Number.NaN);
  const ranges = value("LoadBalancer Source Ranges");
  const origins = Object.fromEntries(
    (
      [
        ["externalTrafficPolicy", "External Traffic Policy"],
        ["internalTrafficPolicy", "Internal Traffic Policy"],
        ["clusterIP", "IP"],
        ["type", "Type"],
        ["targetPort", "TargetPort"],
      ] as const
    ).flatMap(([key, shown]): readonly [string, Origin][] => {
      const field = fieldOf(described, shown);
      return field === undefined ? [] : [[key, context.origin(field.line)]];
    }),
  );
  const service: KubernetesService = {
    namespace,
    name,
    type: TYPES.find((t) => t === value("Type")) ?? "ClusterIP",
    clusterIps: addressesIn(ip),
    externalIps: addressesIn(value("External IPs")),
    loadBalancerIps: addressesIn(value("LoadBalancer Ingress")),
    ports: ported.map((p) => p.port),
    ...input({
      headless: ip === "None" || undefined,
      selector: labelsIn(value("Selector")),
      externalTrafficPolicy: policy(value("External Traffic Policy")),
      internalTrafficPolicy: policy(value("Internal Traffic Policy")),
      clientIpAffinitySeconds: value("Session Affinity") === "ClientIP" ? 10800 : undefined,
      healthCheckNodePort: Number.isInteger(health) ? health : undefined,
      loadBalancerSourceRanges: ranges?.split(",").map((r) => r.trim()),
    }),
    form: "object",
    fieldOrigins: origins,
    origin: context.origin(described.line),
  };
  const endpoints = ported.flatMap(({ endpoints: field, port }) => {
    if (field === undefined) return [];
    const cells = new Map([
      ["NAME", name],
      ["NAMESPACE", namespace],
      ["ENDPOINTS", field.value],
    ]);
    return endpointsOf({ line: field.line, cells }, context).map((e) => ({
      ...e,
      ports: e.ports.map((p) => ({ ...p, protocol: port.protocol })),
    }));
  });
  return { service, endpoints };
}
