import type { PatchRefusal } from "../../../model/faults/patch-refusal.ts";
import type { KubernetesService, Origin } from "../../../model/index.ts";
import { lookup } from "../../../model/lookup.ts";
import { type Address, formatAddress, parseAddress, parsePrefix } from "../../../net/index.ts";

/** One field of a Service set, as `svc/NS/NAME spec.field=value` or `kubectl patch` says it. */
export interface ServiceField {
  readonly namespace: string;
  readonly name: string;
  /** Below `spec.` */
  readonly field: string;
  readonly value: string;
  readonly origin: Origin;
}

type Setter = (service: KubernetesService, value: string) => KubernetesService | undefined;

const policy =
  (field: "externalTrafficPolicy" | "internalTrafficPolicy"): Setter =>
  (service, value) =>
    value === "Cluster" || value === "Local" ? { ...service, [field]: value } : undefined;

/** `a,b`, `["a","b"]`, or nothing. */
export const listOf = (value: string): readonly string[] =>
  value
    .replace(/^\[|\]$/g, "")
    .split(",")
    .map((item) => item.trim().replace(/^["']|["']$/g, ""))
    .filter((item) => item !== "");

const addresses = (value: string): readonly Address[] | undefined => {
  const parsed = listOf(value).map((item) => parseAddress(item));
  return parsed.every((a): a is Address => a !== undefined) ? parsed : undefined;
};

/** kube-proxy's default where affinity is turned on without a time. */
const AFFINITY_SECONDS = 10_800;

const FIELDS: Readonly<Record<string, Setter>> = lookup({
  externalTrafficPolicy: policy("externalTrafficPolicy"),
  internalTrafficPolicy: policy("internalTrafficPolicy"),
  type: (service, value) =>
    value === "ClusterIP" || value === "NodePort" || value === "LoadBalancer" ? { ...service, type: value } : undefined,
  sessionAffinity: (service, value) => {
    const { clientIpAffinitySeconds, ...rest } = service;
    if (value === "None") return rest;
    return value === "ClientIP"
      ? { ...service, clientIpAffinitySeconds: clientIpAffinitySeconds ?? AFFINITY_SECONDS }
      : undefined;
  },
  loadBalancerSourceRanges: (service, value) => {
    const ranges = listOf(value);
    return ranges.every((r) => parsePrefix(r) !== undefined)
      ? { ...service, loadBalancerSourceRanges: ranges }
      : undefined;
  },
  externalIPs: (service, value) => {
    const externalIps = addresses(value);
    return externalIps === undefined ? undefined : { ...service, externalIps };
  },
  publishNotReadyAddresses: (service, value) =>
    value === "true" || value === "false" ? { ...service, publishNotReadyAddresses: value === "true" } : undefined,
});

export const SERVICE_FIELDS = Object.keys(FIELDS);

/** The Service with the field set. */
export function withField(
  service: KubernetesService,
  { field, value }: ServiceField,
): KubernetesService | PatchRefusal {
  const set = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
  if (set === undefined) return { kind: "field-not-modelled", field, fields: SERVICE_FIELDS };
  return set(service, value) ?? { kind: "not-a-value", value, field };
}

/** What the field is now, as one would type it. */
export function fieldOf(service: KubernetesService, field: string): string {
  switch (field) {
    case "externalTrafficPolicy":
    case "internalTrafficPolicy":
      return service[field] ?? "Cluster";
    case "type":
      return service.type;
    case "sessionAffinity":
      return service.clientIpAffinitySeconds === undefined ? "None" : "ClientIP";
    case "loadBalancerSourceRanges":
      return (service.loadBalancerSourceRanges ?? []).join(",");
    case "externalIPs":
      return service.externalIps.map(formatAddress).join(",");
    default:
      return String(service.publishNotReadyAddresses ?? false);
  }
}
