import {
  DEFAULT_CONFIG,
  type DetectLocal,
  type ProxyConfig,
  type ProxyInput,
  parseVersion,
} from "../../packages/core/src/kubernetes/index.ts";
import { assumed, type KubernetesObjects, NO_OBJECTS } from "../../packages/core/src/model/index.ts";
import { type Family, parseAddress } from "../../packages/core/src/net/index.ts";
import { readCase } from "../../packages/core/src/parse/index.ts";

/** A recorded case that starts from objects, as far as the model of kube-proxy looks at it. */
export interface RecordedCase {
  readonly name: string;
  readonly versions: readonly string[];
  readonly ipFamily: string;
  readonly nodeName: string;
  readonly config: {
    readonly nodeIP: string | null;
    readonly masqueradeAll: boolean;
    readonly masqueradeMark: string;
    readonly masqueradeRandomFully: boolean;
    readonly nodePortAddresses: readonly string[] | null;
    readonly conntrackTCPLiberal: boolean;
    readonly largeClusterMode?: boolean;
    readonly localhostNodePorts: boolean;
    readonly interfaceAddrs?: readonly string[];
    readonly nfAcctCounters?: Readonly<Record<string, boolean>>;
    readonly detectLocal: { readonly mode: string; readonly clusterCIDR?: string };
    readonly serviceCIDRs?: string;
  };
  readonly services: readonly object[] | null;
  readonly endpointSlices: readonly object[] | null;
  readonly endpoints?: readonly object[] | null;
  readonly nodeIPs?: readonly string[];
  readonly rules?: string;
}

export function objectsOf(json: readonly object[]): KubernetesObjects {
  const text = JSON.stringify({ apiVersion: "v1", kind: "List", items: json }, null, 1);
  for (const dump of readCase([{ path: "objects.json", text }]).dumps)
    for (const fact of dump.reading.facts) if (fact.kind === "kubernetes") return fact.objects;
  return NO_OBJECTS;
}

/** The recorded tests switch gates by their name. */
function gatesOf(name: string): Readonly<Record<string, boolean>> {
  if (/ProxyTerminatingEndpoints_(?:enabled|disabled)/.test(name))
    return { ProxyTerminatingEndpoints: name.includes("ProxyTerminatingEndpoints_enabled") };
  return name.includes("feature_gate_off") ? { ServiceInternalTrafficPolicy: false } : {};
}

const detectLocalOf = ({ mode, clusterCIDR }: RecordedCase["config"]["detectLocal"]): DetectLocal =>
  mode === "ClusterCIDR" ? { mode, clusterCidrs: [clusterCIDR!] } : { mode: "none" };

export function configOf(c: RecordedCase): ProxyConfig {
  const { config } = c;
  return {
    ...DEFAULT_CONFIG,
    detectLocal: detectLocalOf(config.detectLocal),
    masqueradeAll: config.masqueradeAll,
    masqueradeMark: Number(config.masqueradeMark),
    randomFully: config.masqueradeRandomFully,
    nodePortAddresses: config.nodePortAddresses ?? [],
    localhostNodePorts: config.localhostNodePorts,
    conntrackTcpBeLiberal: config.conntrackTCPLiberal,
    nfacctCounters: Object.entries(config.nfAcctCounters ?? {}).flatMap(([name, made]) => (made ? [name] : [])),
    featureGates: gatesOf(c.name),
    ...(config.serviceCIDRs !== undefined && { serviceCidrs: config.serviceCIDRs.split(",") }),
  };
}

export const familyOfCase = (c: RecordedCase): Family => (c.ipFamily === "IPv6" ? 6 : 4);

export function inputOf(c: RecordedCase, version: string): ProxyInput {
  const objects = objectsOf([...(c.services ?? []), ...(c.endpointSlices ?? []), ...(c.endpoints ?? [])]);
  const addresses = (texts: readonly string[]) => texts.map((t) => parseAddress(t.split("/")[0]!)!);
  return {
    services: objects.services,
    endpoints: objects.endpoints,
    node: {
      name: c.nodeName,
      labels: {},
      addresses: addresses(c.config.nodeIP === null ? [] : [c.config.nodeIP]),
      podCidrs: [],
      ...(c.config.interfaceAddrs === undefined ? {} : { interfaceAddresses: addresses(c.config.interfaceAddrs) }),
      origin: assumed("test"),
    },
    config: configOf(c),
    version: parseVersion(version)!,
  };
}

/** Records of 1.21 do not say where the test switched this gate off: one of the two must fit. */
export function inputsOf(c: RecordedCase, version: string): readonly ProxyInput[] {
  const input = inputOf(c, version);
  if (!version.startsWith("v1.21.") || !c.name.startsWith("TestInternalTrafficPolicy")) return [input];
  return [input, { ...input, config: { ...input.config, featureGates: { ServiceInternalTrafficPolicy: false } } }];
}
