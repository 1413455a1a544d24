import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { referenceFiles } from "@hairpin/testing/reference.ts";
import { worldOf } from "@hairpin/testing/world.ts";
import { formatAddress } from "../../packages/core/src/net/index.ts";
import { type Branch, type Resolved, resolveQuestion, trace } from "../../packages/core/src/trace/index.ts";
import { toYaml } from "./objects-yaml.ts";

type Json = Readonly<Record<string, unknown>>;

/** What a kernel did with a packet, or what kube-proxy's own test expects of it where the kernel agrees. */
export interface Observed {
  readonly verdict: string;
  readonly destinations?: readonly Destination[];
}

interface Destination {
  readonly endpoint: string;
  readonly masqueraded: boolean;
  readonly sourceSeen?: string;
}

export interface Probe {
  /** `ns/name` */
  readonly service?: string;
  readonly sourceIP: string;
  readonly destIP: string;
  readonly destPort: number;
  readonly protocol?: string;
  /** pod, node, external, endpoint-itself, node-loopback, node-vip-source … */
  readonly from?: string;
  readonly target?: string;
  readonly observed: Observed;
}

/** A recorded case that starts from objects, the same for all three folders. */
export interface ObjectsCase {
  readonly name: string;
  readonly mode: "iptables" | "ipvs" | "nftables";
  readonly ipFamily: string;
  readonly versions: readonly string[];
  readonly nodeName: string;
  readonly nodeIPs: readonly string[];
  readonly config: RecordedConfig;
  readonly services: readonly Json[];
  readonly slices: readonly Json[];
  readonly endpoints: readonly Json[];
  readonly pods?: readonly Json[];
  readonly probes: readonly Probe[];
  /** As recorded, for what is compared beside fates. */
  readonly recorded: Json;
}

export interface RecordedConfig {
  readonly masqueradeAll?: boolean;
  readonly masqueradeMark?: string;
  readonly nodePortAddresses?: readonly string[];
  readonly localhostNodePorts?: boolean;
  readonly ipvsScheduler?: string;
  readonly detectLocal?: {
    readonly mode: string;
    readonly clusterCIDR?: string;
    readonly bridgeInterface?: string;
    readonly interfaceNamePrefix?: string;
  };
}

interface Raw {
  readonly mode: "iptables" | "ipvs" | "nftables";
  readonly ipFamily: string;
  readonly versions: readonly string[];
  readonly nodeName: string;
  readonly nodeIPs?: readonly string[];
  readonly config: RecordedConfig;
  readonly services: readonly Json[];
  readonly endpointSlices: readonly Json[] | null;
  readonly endpoints?: readonly Json[];
  readonly kernelProbes?: { readonly nodeIPs: readonly string[]; readonly probes: readonly Probe[] };
  readonly flows?: readonly RawFlow[];
}

interface RawFlow {
  readonly sourceIP: string;
  readonly destIP: string;
  readonly destPort: number;
  readonly protocol: string;
  readonly masq: boolean;
  readonly kernelAgrees: boolean;
  readonly expected: { readonly verdict: string; readonly endpoints: readonly string[] };
}

interface Recorded {
  readonly name: string;
  readonly sync?: number;
}

/** The recorded tests switch gates by their name, as a user does in KubeProxyConfiguration. */
function gatesOf({ name, sync }: Recorded): Readonly<Record<string, boolean>> {
  // Before its parts had names, the last of them was the one with the gate off.
  if (name === "TestInternalTrafficPolicyE2E" && sync === 6) return { ServiceInternalTrafficPolicy: false };
  const terminating = /ProxyTerminatingEndpoints[ _](enabled|disabled)/.exec(name);
  if (terminating !== null) return { ProxyTerminatingEndpoints: terminating[1] === "enabled" };
  return /feature[ _]gate[ _]off/.test(name) ? { ServiceInternalTrafficPolicy: false } : {};
}

const EXPECTED: Readonly<Record<string, string>> = { none: "untranslated" };

/** `masq` of a flow means "marked on some path", so it decides only where there is one endpoint. */
function flowProbe(flow: RawFlow): Probe {
  const { verdict, endpoints } = flow.expected;
  const destinations = endpoints.map((endpoint) => ({
    endpoint: endpoint.replace(/, /g, ""),
    masqueraded: flow.masq,
  }));
  const single = endpoints.length === 1;
  return {
    sourceIP: flow.sourceIP,
    destIP: flow.destIP,
    destPort: flow.destPort,
    protocol: flow.protocol || "tcp",
    observed: {
      verdict: verdict === "DNAT" ? (single ? "DNAT" : "DNAT-any-source") : (EXPECTED[verdict] ?? verdict),
      destinations,
    },
  };
}

export function readCaseFile(file: string): ObjectsCase {
  const raw = JSON.parse(readFileSync(file, "utf8")) as Raw;
  const probes = raw.kernelProbes?.probes ?? (raw.flows ?? []).filter((f) => f.kernelAgrees).map(flowProbe);
  return {
    name: basename(file, ".json"),
    mode: raw.mode,
    ipFamily: raw.ipFamily,
    versions: raw.versions,
    nodeName: raw.nodeName,
    nodeIPs: raw.kernelProbes?.nodeIPs ?? raw.nodeIPs ?? [],
    config: raw.config,
    services: raw.services,
    slices: raw.endpointSlices ?? [],
    endpoints: raw.endpoints ?? [],
    probes,
    recorded: raw as unknown as Json,
  };
}

/**
 * kube-proxy of this recording ran on a fake node without any address, so it opened no NodePort; the kernel that took the
 * probes had one. A node with that address would have a virtual server on it.
 */
export const isOfAnotherNode = (c: ObjectsCase, probe: Probe): boolean => {
  const { virtualServers } = c.recorded as { readonly virtualServers?: readonly { readonly address: string }[] };
  return (
    probe.target === "NodePort" &&
    virtualServers !== undefined &&
    !virtualServers.some((v) => c.nodeIPs.includes(v.address))
  );
};

export const objectCases = (folder: string, mode: string): readonly ObjectsCase[] =>
  referenceFiles("kube-proxy", folder, mode).map(readCaseFile);

/** A walk through a thousand endpoints tells no more than one through three, and takes a second. */
export const isLarge = (c: ObjectsCase): boolean =>
  (c.slices as readonly { readonly endpoints?: readonly unknown[] | null }[]).some(
    (s) => (s.endpoints?.length ?? 0) > 100,
  );

export type Form = "json" | "yaml";

export interface FolderOptions {
  readonly form?: Form;
  readonly version?: string;
  readonly mode?: ObjectsCase["mode"];
  /** A Node object also for every other node that endpoints name. */
  readonly peers?: boolean;
}

/** The case as a user would give it: what kubectl prints, kube-proxy's configuration, the Node. No dump of any node. */
export function caseFolder(c: ObjectsCase, options: FolderOptions = {}): Readonly<Record<string, string>> {
  const form = options.form ?? "json";
  const version = options.version ?? c.versions[0]!;
  const files: Record<string, string> = {};
  const add = (name: string, items: readonly Json[]): void => {
    const list = { apiVersion: "v1", items, kind: "List", metadata: { resourceVersion: "" } };
    files[`${name}.${form}`] = form === "json" ? `${JSON.stringify(list, null, 4)}\n` : toYaml(list);
  };
  add("services", c.services);
  if (c.slices.length > 0 || c.endpoints.length === 0) add("endpointslices", c.slices);
  if (c.endpoints.length > 0) add("endpoints", c.endpoints);
  if (c.pods !== undefined) add("pods", c.pods);
  const others = options.peers === true ? peersOf(c) : [];
  add("nodes", [
    nodeObject(c.nodeName, c.nodeIPs, version),
    ...others.map((name, i) => nodeObject(name, [`198.51.100.${i + 10}`], version)),
  ]);
  files["kube-proxy-config.yaml"] = toYaml(kubeProxyConfiguration(c, options.mode ?? c.mode));
  return files;
}

const nodeObject = (name: string, addresses: readonly string[], version: string): Json => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { "kubernetes.io/hostname": name } },
  spec: {},
  status: {
    addresses: [...addresses.map((address) => ({ type: "InternalIP", address })), { type: "Hostname", address: name }],
    nodeInfo: { kubeProxyVersion: version, kubeletVersion: version },
  },
});

function peersOf(c: ObjectsCase): readonly string[] {
  const slices = c.slices as readonly { readonly endpoints?: readonly { readonly nodeName?: string }[] | null }[];
  const named = slices.flatMap((s) => (s.endpoints ?? []).flatMap((e) => e.nodeName ?? []));
  return [...new Set(named)].filter((n) => n !== c.nodeName);
}

function kubeProxyConfiguration(c: ObjectsCase, mode: string): Json {
  const { detectLocal, masqueradeAll, masqueradeMark, nodePortAddresses, localhostNodePorts, ipvsScheduler } = c.config;
  const bit = Math.log2(Number(masqueradeMark ?? "0x4000"));
  return {
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    clusterCIDR: detectLocal?.clusterCIDR ?? "",
    detectLocalMode: detectLocal === undefined || detectLocal.mode === "none" ? "ClusterCIDR" : detectLocal.mode,
    detectLocal: {
      bridgeInterface: detectLocal?.bridgeInterface ?? "",
      interfaceNamePrefix: detectLocal?.interfaceNamePrefix ?? "",
    },
    featureGates: gatesOf(c.recorded as unknown as Recorded),
    hostnameOverride: c.nodeName,
    iptables: {
      masqueradeAll: masqueradeAll ?? false,
      masqueradeBit: bit,
      localhostNodePorts: localhostNodePorts ?? true,
    },
    ipvs: { scheduler: ipvsScheduler ?? "", strictARP: false },
    nftables: { masqueradeAll: masqueradeAll ?? false, masqueradeBit: bit },
    mode,
    nodePortAddresses: nodePortAddresses ?? [],
  };
}

export const worldOfCase = (c: ObjectsCase, options: FolderOptions = {}) => worldOf(caseFolder(c, options));

const endpoint = (address: string, port: number): string =>
  address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;

/** The question a probe is, as one would type it. */
export const questionOf = (c: ObjectsCase, probe: Probe) => ({
  from: probe.sourceIP,
  to: endpoint(probe.destIP, probe.destPort),
  proto: probe.protocol ?? "tcp",
  node: c.nodeName,
});

export interface Answer {
  readonly branches: readonly Branch[];
  readonly error?: string;
}

export function ask(world: ReturnType<typeof worldOf>, question: ReturnType<typeof questionOf>): Answer {
  const resolved: Resolved = resolveQuestion(world, question);
  if (resolved.ok !== true) return { branches: [], error: JSON.stringify(resolved) };
  return { branches: trace(resolved.world, resolved.question).branches };
}

export const shownBranch = (b: Branch): string =>
  [
    b.request.disposition,
    endpoint(formatAddress(b.request.final.dst), Number(b.request.final.dport)),
    b.request.masqueraded ? "masqueraded" : "",
    b.request.drop ?? "",
    [...b.hypothesis].map(([k, v]) => `${k}=${v}`).join(" "),
  ]
    .filter((s) => s !== "")
    .join(" ");

/** A node that masquerades its own packet to the address it had shows nothing of it: the recording goes by addresses. */
const isHidden = (probe: Probe, d: Destination): boolean =>
  probe.from === "node" && !d.masqueraded && d.sourceSeen === probe.sourceIP;

/** Why a walk does not end as the kernel showed, or undefined. A verdict reads as the reference's README says. */
export function mismatch(probe: Probe, { branches, error }: Answer): string | undefined {
  if (error !== undefined) return error;
  if (branches.length === 0) return "no branch";
  const { verdict, destinations = [] } = probe.observed;
  const all = (...dispositions: string[]) => branches.every((b) => dispositions.includes(b.request.disposition));
  const end = (b: Branch) => endpoint(formatAddress(b.request.final.dst), Number(b.request.final.dport));
  const asked = endpoint(probe.destIP, probe.destPort);
  const ok = (): boolean => {
    switch (verdict) {
      case "DNAT":
        return (
          all("delivered", "forwarded") &&
          destinations.every((d) =>
            branches.some(
              (b) => end(b) === d.endpoint && (b.request.masqueraded === d.masqueraded || isHidden(probe, d)),
            ),
          )
        );
      case "DNAT-any-source":
        return all("delivered", "forwarded") && destinations.every((d) => branches.some((b) => end(b) === d.endpoint));
      case "REJECT":
      case "icmp-unreachable":
        return all("rejected");
      case "DROP":
      case "silently-dropped":
        return all("dropped");
      case "forwarded-unchanged":
        return all("forwarded") && branches.every((b) => end(b) === asked);
      case "delivered-locally":
        return all("delivered", "rejected") && branches.every((b) => end(b) === asked);
      case "untranslated":
        return branches.every((b) => end(b) === asked);
      default:
        return false;
    }
  };
  if (ok()) return undefined;
  const question = `${probe.from ?? ""} ${probe.sourceIP} > ${asked} ${probe.protocol}`;
  const shown = destinations.map((d) => `${d.endpoint}${d.masqueraded ? " masqueraded" : ""}`).join(", ");
  return `${question}: kernel ${verdict} ${shown}; walk ${branches.map(shownBranch).join(" | ")}`;
}
