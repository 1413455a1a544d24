import { settingsOf } from "../../assemble/kube-proxy/settings.ts";
import { Ledger } from "../../assemble/ledger.ts";
import { formatVersion, type ProxyInput, type ProxyMode, parseVersion } from "../../kubernetes/index.ts";
import {
  type CaseFile,
  chainNamed,
  type IptablesTable,
  isNodePortSet,
  KUBE_IPVS0,
  type KubernetesNode,
  type KubernetesObjects,
  type KubernetesService,
  PROXY_CHAIN,
  proxyChain,
  proxyNftName,
  ruleInPlace,
  rulesSaying,
  someChain,
} from "../../model/index.ts";
import type { Address } from "../../net/index.ts";
import type { StackView } from "../view.ts";
import type { Actual } from "./actual.ts";
import type { Listed } from "./listed.ts";
import { endpointsOf } from "./nft-endpoints.ts";

/** What kube-proxy of a node went by, and how much of the cluster the objects show. */
export interface Expectation {
  readonly input: ProxyInput;
  /** Services and endpoints were listed, not picked: what they lack is not there. */
  readonly complete: boolean;
  /** Somebody showed kube-proxy's configuration: what it masquerades, and which switches it sets, follows from it. */
  readonly configured: boolean;
  /** Nobody named the release: the one that its rules look like, else the newest. */
  readonly likely?: string;
}

const shortName = (name: string): string => name.split(".")[0]!.toLowerCase();

function nodeOf(
  view: StackView,
  actual: Actual,
  objects: KubernetesObjects,
  views: number,
): KubernetesNode | undefined {
  const nodes = objects.nodes.filter((n) => n.name !== "" && n.form === "object");
  const own = actual.devices.flatMap((d) => d.addresses.map((a) => a.prefix.address));
  return (
    nodes.find((n) => shortName(n.name) === shortName(view.node)) ??
    nodes.find((n) => n.addresses.some((a) => own.some((b) => a === b))) ??
    (nodes.length === 1 && views === 1 ? nodes[0] : undefined)
  );
}

/**
 * Undefined where the objects do not say enough: no Node object, no mode that is stated or seen, no Services or no endpoints as objects. A
 * release that nobody names is the likely one, and that is said; what hangs on it is not held against the node.
 */
export function expectationOf(
  view: StackView,
  actual: Actual,
  objects: KubernetesObjects,
  listed: Listed,
  caseFile: CaseFile | undefined,
  views: number,
): Expectation | undefined {
  const node = nodeOf(view, actual, objects, views);
  if (node === undefined) return undefined;
  const stated = caseFile?.nodes.find((n) => n.name === view.node || n.name === node.name);
  // An empty string says no release.
  const stating = [stated?.kubeProxy?.version, node.kubeProxyVersion, node.kubeletVersion];
  const told = stating.some((v) => v !== undefined && parseVersion(v) !== undefined);
  if (objects.services.some((s) => s.form !== "object")) return undefined;
  if (objects.endpoints.some((e) => e.form !== "object" || e.cut === true)) return undefined;
  const { modes, config, version } = settingsOf(
    node,
    objects,
    stated,
    modesWritten(actual),
    new Ledger(new Map()),
    told ? [] : actual.tables,
  );
  const [mode] = modes;
  if (modes.length !== 1 || mode === undefined) return undefined;
  const complete = listed.services && (listed.endpoints || (objects.endpoints.length === 0 && !servesAny(actual)));
  const served = (s: { readonly namespace: string; readonly name: string }): boolean =>
    objects.endpoints.some((e) => e.namespace === s.namespace && e.service === s.name);
  const services = complete ? objects.services : objects.services.filter(served);
  if (services.length === 0 && !complete) return undefined;
  const interfaces = mode === "ipvs" ? nodePortAddresses(actual, services, node.addresses) : ownAddresses(actual);
  return {
    complete,
    configured: config.origin !== undefined,
    ...(!told && { likely: formatVersion(version) }),
    input: {
      services,
      endpoints: objects.endpoints,
      pods: objects.pods,
      node: {
        name: node.name,
        labels: node.labels ?? {},
        addresses: node.addresses,
        podCidrs: node.podCidrs,
        ...(interfaces !== undefined && { interfaceAddresses: interfaces }),
        origin: node.origin,
      },
      config: { ...config, mode, nfacctCounters: countersIn(actual) },
      version,
    },
  };
}

/** How kube-proxy runs, by what it wrote. */
function modesWritten({ tables, servers, nft }: Actual): ReadonlySet<ProxyMode> {
  if (nft.some((t) => t.chains.some((c) => proxyNftName(c.name) !== undefined)))
    return new Set<ProxyMode>(["nftables"]);
  if (servers !== undefined && servers.items.length > 0) return new Set<ProxyMode>(["ipvs"]);
  const writes = tables.some((t) => leadsToService(t) || someChain(t, (c) => proxyChain(c.name) === "service"));
  return new Set<ProxyMode>(writes ? ["iptables"] : []);
}

/** By the first rule for a Service: a chain of one is found without making those before it. */
function leadsToService(table: IptablesTable): boolean {
  const services = chainNamed(table, PROXY_CHAIN.services);
  const target = services === undefined ? undefined : ruleInPlace(services, 0)?.target;
  if (target?.kind !== "jump" || proxyChain(target.chain) !== "service") return false;
  return chainNamed(table, target.chain) !== undefined;
}

/** Whether the node sends packets to any endpoint: where it does not, that there are none is what it goes by too. */
const servesAny = ({ tables, servers, nft }: Actual): boolean =>
  nft.some((t) => t.chains.some((c) => endpointsOf(t, c) !== undefined)) ||
  tables.some((t) => t.chains.some((c) => proxyChain(c.name) === "endpoint")) ||
  servers?.items.some((s) => s.realServers.length > 0) === true;

const ownAddresses = ({ addressesWhole, devices }: Actual): readonly Address[] | undefined =>
  addressesWhole
    ? devices.filter((d) => d.name !== KUBE_IPVS0).flatMap((d) => d.addresses.map((a) => a.prefix.address))
    : undefined;

/**
 * In IPVS mode kube-proxy opens node ports on the addresses that it finds on devices. Where nobody showed those, the virtual
 * servers tell which it found; where nothing tells of a node port, it found none.
 */
function nodePortAddresses(
  actual: Actual,
  services: readonly KubernetesService[],
  addresses: readonly Address[],
): readonly Address[] | undefined {
  const own = ownAddresses(actual);
  if (own !== undefined || actual.servers === undefined) return own;
  if (!tellsOfNodePorts(actual)) return [];
  const ports = new Set(services.flatMap((s) => s.ports.flatMap((p) => p.nodePort ?? [])));
  const vips = services.flatMap((s) => [...s.clusterIps, ...s.loadBalancerIps, ...s.externalIps]);
  const served = actual.servers.items.flatMap(({ key }) =>
    key.kind === "address" && ports.has(key.port) && !vips.some((v) => v === key.address) ? [key.address] : [],
  );
  const listed = (actual.sets?.items ?? [])
    .filter((s) => isNodePortSet(s.name))
    .flatMap((s) => s.entries.flatMap((e) => e.parts.flatMap((p) => (p.kind === "address" ? [p.from] : []))));
  if (served.length + listed.length > 0) return [...served, ...listed];
  return addresses;
}

/** A set of node ports that has any, or a rule that masquerades them. */
const tellsOfNodePorts = ({ sets, tables }: Actual): boolean =>
  sets?.items.some((s) => isNodePortSet(s.name) && s.entries.length > 0) === true ||
  tables.some((t) =>
    t.chains.some((c) => c.rules.some((r) => r.matches.some((m) => m.kind === "set" && isNodePortSet(m.name)))),
  );

/** The counters that kube-proxy makes where the kernel has nfacct: one of them tells that it could make the others. */
const COUNTERS: readonly string[] = ["ct_state_invalid_dropped_pkts", "localhost_nps_accepted_pkts"];

/** Whether kube-proxy can make counters of nfacct is seen by the rules that count. */
function countersIn({ tables }: Actual): readonly string[] {
  const names = new Set<string>();
  for (const table of tables)
    for (const { rule } of rulesSaying(table, "nfacct"))
      for (const m of rule.matches)
        if (m.kind === "other" && m.name === "nfacct") for (const o of m.options) if (!o.startsWith("-")) names.add(o);
  return COUNTERS.some((c) => names.has(c)) ? [...new Set([...names, ...COUNTERS])] : [...names];
}
