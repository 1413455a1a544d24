import {
  isOver,
  type KubernetesEndpoints,
  type KubernetesNode,
  type KubernetesObjects,
  type KubernetesPod,
  type KubernetesService,
} from "../../model/index.ts";
import { type Address, parsePrefix } from "../../net/index.ts";
import { OUTSIDERS } from "../../trace/index.ts";
import { virtualOf } from "./census.ts";
import { PodNetworks } from "./pod-networks.ts";

const HASHED: ReadonlySet<string | undefined> = new Set(["sh", "dh", "mh", "lblc", "lblcr"]);

/** Whether flows among these objects are told apart by their own parts alone: everybody has addresses of his own, and nothing adds them up. */
export function isCountable(objects: KubernetesObjects): boolean {
  const { nodes, services, kubeProxyConfigs, otherDatapaths = [] } = objects;
  if (kubeProxyConfigs.some((c) => HASHED.has(c.ipvsScheduler))) return false;
  if (otherDatapaths.some((d) => d.frontends !== undefined)) return false;
  if (!services.some((s) => s.form === "object")) return false;
  if (nodes.length === 0 || nodes.some((n) => n.form !== "object" || n.name === "")) return false;
  if (nodes.some((n) => n.podCidrs.some((c) => parsePrefix(c) === undefined))) return false;
  const macs = nodes.flatMap((n) => n.flannel?.vtepMac ?? []);
  return new Set(macs).size === macs.length && eachHasItsOwn(objects);
}

/** No address is two parties'. */
function eachHasItsOwn({ nodes, pods, services, endpoints, kubeProxyConfigs }: KubernetesObjects): boolean {
  const home = homesOf(nodes);
  const networks = new PodNetworks(nodes);
  if (home === undefined || networks.overlap) return false;
  if ([...home.keys()].some((a) => networks.of(a) !== undefined)) return false;
  const listed = new Set(endpoints.flatMap((s) => s.endpoints.flatMap((e) => e.addresses)));
  // Only where kube-proxy goes by the networks of nodes does it matter whose network an address is in.
  const byNode = kubeProxyConfigs.some((c) => c.detectLocalMode === "NodeCIDR") ? networks : undefined;
  const placed = placesOf(pods, endpoints, home, listed, byNode);
  if (placed === undefined) return false;
  const virtual = services.flatMap(virtualOf);
  if (virtual.some((a) => placed.has(a) || networks.of(a) !== undefined || (listed.has(a) && !home.has(a))))
    return false;
  if (clashWithNodePorts(services, home)) return false;
  return !OUTSIDERS.some((a) => home.has(a) || placed.has(a) || listed.has(a)) && !virtual.some(isOutsider);
}

const isOutsider = (address: Address): boolean => OUTSIDERS.includes(address);

function homesOf(nodes: readonly KubernetesNode[]): ReadonlyMap<Address, string> | undefined {
  const home = new Map<Address, string>();
  for (const { name, addresses } of nodes)
    for (const a of new Set(addresses)) {
      if (home.has(a)) return undefined;
      home.set(a, name);
    }
  return home;
}

/** On which node each pod's and endpoint's address is; undefined: somebody is in two places. */
function placesOf(
  pods: readonly KubernetesPod[],
  endpoints: readonly KubernetesEndpoints[],
  home: ReadonlyMap<Address, string>,
  listed: ReadonlySet<Address>,
  byNode: PodNetworks | undefined,
): ReadonlySet<Address> | undefined {
  const placed = new Map<Address, string>();
  const place = (address: Address, node: string | undefined): boolean => {
    if (node === undefined) return true;
    const known = placed.get(address);
    if (known !== undefined && known !== node) return false;
    placed.set(address, node);
    const network = byNode?.of(address);
    return network === undefined || network === node;
  };
  const live = new Set<Address>();
  for (const pod of pods) {
    const own = isOver(pod) ? pod.addresses.filter((a) => listed.has(a)) : pod.addresses;
    if (pod.hostNetwork) {
      if (own.some((a) => home.has(a) && home.get(a) !== pod.nodeName)) return undefined;
      continue;
    }
    for (const a of own) {
      if (home.has(a) || !place(a, pod.nodeName)) return undefined;
      if (isOver(pod)) continue;
      if (live.has(a)) return undefined;
      live.add(a);
    }
  }
  for (const { endpoints: list, family } of endpoints)
    for (const { addresses, nodeName, forNodes = [] } of list) {
      if (addresses.length > 1 || (family !== "FQDN" && addresses.length === 0)) return undefined;
      // Meant for other nodes than the one it is on.
      if (forNodes.some((n) => n !== nodeName)) return undefined;
      for (const a of addresses)
        if (home.has(a) ? nodeName !== undefined && home.get(a) !== nodeName : !place(a, nodeName)) return undefined;
    }
  return new Set([...placed.keys(), ...live]);
}

/** A Service's port on an address of a node is a node port, too: both are one target. */
function clashWithNodePorts(services: readonly KubernetesService[], home: ReadonlyMap<Address, string>): boolean {
  const nodePorts = new Set(services.flatMap((s) => s.ports.map((p) => p.nodePort)));
  return services.some(
    (s) => s.ports.some((p) => nodePorts.has(p.port)) && virtualOf(s).some((address) => home.has(address)),
  );
}
