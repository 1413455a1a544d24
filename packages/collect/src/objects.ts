import { sourceOf } from "@hairpin/core/parse/index.ts";
import { readYaml } from "@hairpin/core/parse/kubernetes/yaml/read.ts";
import { Mapping, Sequence, type Value } from "@hairpin/core/parse/kubernetes/yaml/value.ts";

/** What of an object is taken: all of it, some of its fields, or what a function says. */
type Wanted = true | { readonly [field: string]: Wanted } | ((value: Value, key: string) => Value | undefined);

/** Annotations by which network plugins and the clouds' load balancers are known. Others may hold anything, kubectl's copy of all. */
const ANNOTATIONS =
  /^(?:flannel\.alpha\.coreos\.com|projectcalico\.org|cloud\.google\.com|io\.cilium|kube-vip\.io|lbipam\.cilium\.io|load-balancer\.hetzner\.cloud|loadbalancer\.openstack\.org|metallb\.(?:io|universe\.tf)|networking\.gke\.io|[a-z.-]*oraclecloud\.com|service(?:\.beta)?\.kubernetes\.io|service\.cloud\.tencent\.com|kubernetes\.io)\//;
const LONGEST_ANNOTATION = 1024;

function annotations(value: Value): Value | undefined {
  return fieldsOf(value, (key, text) =>
    ANNOTATIONS.test(key) && (typeof text !== "string" || text.length <= LONGEST_ANNOTATION) ? text : undefined,
  );
}

/** Of kube-proxy's ConfigMap its configuration, not the kubeconfig beside it, which may hold a token. */
const configuration = (value: Value): Value | undefined =>
  fieldsOf(value, (key, text) => (key === "config.conf" && typeof text === "string" ? withoutClient(text) : undefined));

const withoutClient = (text: string): string => {
  const [first, ...more] = readYaml(sourceOf("config.conf", text)).documents;
  if (first === undefined || more.length > 0 || !(first.value instanceof Mapping)) return "";
  return printed(unconnected(first.value) ?? null);
};
const unconnected = (value: Value): Mapping | undefined =>
  fieldsOf(value, (key, v) => (key === "clientConnection" ? undefined : v));

const METADATA = { name: true, namespace: true, labels: true, annotations } as const;
const named = (names: string): { readonly [field: string]: Wanted } =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, true] as const));

/** Of Services, Nodes, NetworkPolicies and Pods; a Pod's containers hold environments and command lines. */
const SPEC = named(
  `allocateLoadBalancerNodePorts clusterIP clusterIPs egress externalIPs externalName externalTrafficPolicy healthCheckNodePort
  hostNetwork ingress internalTrafficPolicy ipFamilies ipFamilyPolicy loadBalancerClass loadBalancerIP loadBalancerSourceRanges nodeName
  podCIDR podCIDRs podSelector policyTypes ports providerID publishNotReadyAddresses selector sessionAffinity sessionAffinityConfig taints
  trafficDistribution type unschedulable`,
);
const WANTED: Wanted = {
  apiVersion: true,
  kind: true,
  metadata: METADATA,
  spec: { ...SPEC, containers: { ports: true } },
  data: configuration,
  addressType: true,
  endpoints: true,
  subsets: true,
  ports: true,
  status: {
    loadBalancer: true,
    addresses: true,
    phase: true,
    hostIP: true,
    hostIPs: true,
    podIP: true,
    podIPs: true,
    conditions: { type: true, status: true },
    nodeInfo: {
      architecture: true,
      containerRuntimeVersion: true,
      kernelVersion: true,
      kubeProxyVersion: true,
      kubeletVersion: true,
      operatingSystem: true,
      osImage: true,
    },
  },
};

function fieldsOf(value: Value, keep: (key: string, value: Value) => Value | undefined): Mapping | undefined {
  if (!(value instanceof Mapping)) return undefined;
  const kept = new Mapping(value.line);
  for (let i = 0; i < value.size; i++) {
    const field = keep(value.keyAt(i), value.valueAt(i));
    if (field !== undefined) kept.put(value.keyAt(i), field, value.lineAt(i));
  }
  return kept;
}

function taken(value: Value, wanted: Wanted, key = ""): Value | undefined {
  if (wanted === true) return value;
  if (typeof wanted === "function") return wanted(value, key);
  if (value instanceof Sequence) {
    const list = new Sequence(value.line);
    for (const item of value.items) list.put(taken(item, wanted, key) ?? null, value.line);
    return list;
  }
  return fieldsOf(value, (k, v) => (Object.hasOwn(wanted, k) ? taken(v, wanted[k]!, k) : undefined));
}

/** One object, or a list of them. */
function object(value: Value): Value {
  if (!(value instanceof Mapping)) return null;
  const items = value.get("items");
  if (value.get("kind") === "KubeProxyConfiguration") return unconnected(value) ?? null;
  const kept = taken(value, WANTED) as Mapping;
  if (!(items instanceof Sequence)) return kept;
  const list = new Sequence(items.line);
  for (const item of items.items) list.put(object(item), items.line);
  kept.put("items", list, items.line);
  return kept;
}

const PLAIN = /^[A-Za-z_/][A-Za-z0-9_./-]*$/;
const MEANS_OTHERWISE = /^(?:true|false|yes|no|on|off|null|none|y|n|~)$/i;
const isPlain = (text: string): boolean => PLAIN.test(text) && !MEANS_OTHERWISE.test(text);
const quoted = (text: string): string => (isPlain(text) ? text : JSON.stringify(text));

/** As YAML, in blocks. */
function printed(value: Value, indent = ""): string {
  if (value instanceof Mapping) {
    if (value.size === 0) return `${indent}{}\n`;
    let out = "";
    for (let i = 0; i < value.size; i++) out += `${indent}${quoted(value.keyAt(i))}:${after(value.valueAt(i), indent)}`;
    return out;
  }
  if (value instanceof Sequence) {
    if (value.items.length === 0) return `${indent}[]\n`;
    return value.items
      .map((item) =>
        isNested(item)
          ? `${indent}- ${printed(item, `${indent}  `).slice(indent.length + 2)}`
          : `${indent}-${after(item, indent)}`,
      )
      .join("");
  }
  return `${indent}${scalar(value)}\n`;
}

const isNested = (value: Value): boolean =>
  (value instanceof Mapping && value.size > 0) || (value instanceof Sequence && value.items.length > 0);

const scalar = (value: Value): string =>
  value instanceof Mapping
    ? "{}"
    : value instanceof Sequence
      ? "[]"
      : typeof value === "string"
        ? quoted(value)
        : String(value);

function after(value: Value, indent: string): string {
  if (isNested(value)) return `\n${printed(value, `${indent}  `)}`;
  // A text of several lines stays one that people can read.
  if (typeof value === "string" && /^[^\s][^\0-\x09\x0b-\x1f]*\n[^\0-\x09\x0b-\x1f]*$/.test(value))
    return ` |-\n${value
      .replace(/\n+$/, "")
      .split("\n")
      .map((line) => (line === "" ? "" : `${indent}  ${line}`))
      .join("\n")}\n`;
  return ` ${scalar(value)}\n`;
}

/**
 * Kubernetes objects with the fields that Hairpin reads and no others: annotations, ConfigMaps and managed fields hold tokens and
 * copies of what was applied. Undefined where they cannot be read.
 */
export function wantedOf(yaml: string): string | undefined {
  const { documents } = readYaml(sourceOf("objects", yaml));
  if (documents.length === 0 || !documents.every((d) => d.value instanceof Mapping)) return undefined;
  return documents.map((d) => printed(object(d.value))).join("---\n");
}
