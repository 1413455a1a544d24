import type { KubernetesService, Labels, Origin, ServicePort, TrafficPolicy } from "../../../model/index.ts";
import { flagIn, type Mapping, mapIn, mapsIn, numberIn, textIn, textsIn, type Value, valueIn } from "../yaml/value.ts";
import { input, labelsIn, nameOf, type ObjectContext } from "./context.ts";

const TYPES = ["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"] as const;
const QUOTED = [
  "type",
  "clusterIP",
  "externalTrafficPolicy",
  "internalTrafficPolicy",
  "sessionAffinity",
  "loadBalancerSourceRanges",
  "externalIPs",
];
const AFFINITY_SECONDS = 10800;

export function readService(object: Mapping, context: ObjectContext): KubernetesService {
  const spec = mapIn(object, "spec");
  const type = TYPES.find((t) => t === textIn(spec, "type")) ?? "ClusterIP";
  const cluster = textsIn(spec, "clusterIPs");
  const single = textIn(spec, "clusterIP");
  const texts = cluster.length > 0 ? cluster : single === undefined || single === "" ? [] : [single];
  const headless = texts.includes("None");
  const line = spec?.lineOf("clusterIPs") ?? spec?.lineOf("clusterIP") ?? object.line;
  const ingress = mapsIn(object, "status", "loadBalancer", "ingress");
  const ips = (mode: boolean) =>
    ingress
      .filter((i) => (textIn(i, "ipMode") === "Proxy") === mode)
      .flatMap((i) => {
        const ip = textIn(i, "ip");
        return ip === undefined || ip === "" ? [] : context.address(ip, i.line);
      });
  const proxied = ips(true);
  return {
    namespace: textIn(object, "metadata", "namespace") ?? context.namespace,
    name: nameOf(object),
    type,
    clusterIps: headless ? [] : texts.flatMap((t) => context.address(t, line)),
    externalIps: context.addresses(valueIn(spec, "externalIPs")),
    loadBalancerIps: ips(false),
    ports: mapsIn(spec, "ports").flatMap((p) => readPort(p, context)),
    ...input({
      headless: headless || undefined,
      proxyLoadBalancerIps: proxied.length > 0 ? proxied : undefined,
      externalTrafficPolicy: policy(textIn(spec, "externalTrafficPolicy")),
      internalTrafficPolicy: policy(textIn(spec, "internalTrafficPolicy")),
      selector: labelsIn(valueIn(spec, "selector")),
      clientIpAffinitySeconds:
        textIn(spec, "sessionAffinity") === "ClientIP"
          ? (numberIn(spec, "sessionAffinityConfig", "clientIP", "timeoutSeconds") ?? AFFINITY_SECONDS)
          : undefined,
      loadBalancerSourceRanges: nonEmpty(textsIn(spec, "loadBalancerSourceRanges")),
      healthCheckNodePort: numberIn(spec, "healthCheckNodePort"),
      allocateLoadBalancerNodePorts: flagIn(spec, "allocateLoadBalancerNodePorts"),
      publishNotReadyAddresses: flagIn(spec, "publishNotReadyAddresses"),
      trafficDistribution: textIn(spec, "trafficDistribution"),
      topologyMode:
        textIn(object, "metadata", "annotations", "service.kubernetes.io/topology-mode") ??
        textIn(object, "metadata", "annotations", "service.kubernetes.io/topology-aware-hints"),
      loadBalancerClass: textIn(spec, "loadBalancerClass"),
      loadBalancerHostnames: nonEmpty(
        ingress.flatMap((i) => {
          const hostname = textIn(i, "hostname");
          return hostname === undefined || hostname === "" ? [] : [hostname];
        }),
      ),
      annotations: annotationsIn(valueIn(object, "metadata", "annotations")),
      proxyName: textIn(object, "metadata", "labels", "service.kubernetes.io/service-proxy-name"),
    }),
    form: "object",
    origin: context.originOf(object),
    fieldOrigins: fieldOrigins(spec, context),
  };
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** Those that tell a load balancer's habits are short; kubectl's copy of the object is not one of them. */
function annotationsIn(value: Value | undefined): Labels | undefined {
  const entries = Object.entries(labelsIn(value) ?? {}).filter(([key, v]) => key !== LAST_APPLIED && v.length <= 1024);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

const nonEmpty = <T>(list: readonly T[]): readonly T[] | undefined => (list.length > 0 ? list : undefined);

const policy = (text: string | undefined): TrafficPolicy | undefined =>
  text === "Local" || text === "Cluster" ? text : undefined;

function readPort(port: Mapping, context: ObjectContext): readonly ServicePort[] {
  const number = context.port(port.get("port"), port.lineOf("port") ?? port.line);
  if (number === undefined) return [];
  const target = port.get("targetPort");
  const name = textIn(port, "name");
  const nodePort = numberIn(port, "nodePort");
  return [
    {
      protocol: context.protocol(textIn(port, "protocol"), port.lineOf("protocol") ?? port.line),
      port: number,
      ...input({
        name: name === "" ? undefined : name,
        targetPort: typeof target === "string" || (typeof target === "number" && target > 0) ? target : undefined,
        nodePort: nodePort === 0 ? undefined : nodePort,
      }),
    },
  ];
}

function fieldOrigins(spec: Mapping | undefined, context: ObjectContext): Readonly<Record<string, Origin>> {
  const origins: Record<string, Origin> = {};
  for (const key of QUOTED) {
    const line = spec?.lineOf(key);
    if (line !== undefined) origins[key] = context.origin(line);
  }
  for (const port of spec === undefined ? [] : mapsIn(spec, "ports")) {
    const line = port.lineOf("targetPort");
    if (line !== undefined) origins[`targetPort/${numberIn(port, "port")}`] = context.origin(line);
  }
  return origins;
}
