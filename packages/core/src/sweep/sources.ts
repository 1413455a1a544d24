import { isOver, type Stack, TABLE_MAIN, type World } from "../model/index.ts";
import { type Address, formatAddress, isHost } from "../net/index.ts";
import type { Source } from "./flow.ts";

const isShown = ({ assumed }: Stack): boolean => assumed === undefined;

/** Addresses of a stack's devices, as others know it. */
export const addressesOf = (stack: Stack): readonly Address[] => [
  ...new Set(
    stack.devices.items
      .filter((d) => d.kind !== "loopback" && d.kind !== "dummy")
      .flatMap((d) => d.addresses.filter((a) => a.scope === "global").map((a) => a.prefix.address)),
  ),
];

/** The addresses by which others call a node: those of its object, else of its cards. */
export function nodeAddresses(world: World, node: Stack): readonly Address[] {
  const object = world.kubernetes.nodes.find((n) => n.name === node.name);
  const known = [...(object?.addresses ?? []), ...(object?.externalAddresses ?? [])];
  const cards = node.devices.items.filter((d) => d.kind !== "bridge" && d.kind !== "vxlan" && d.kind !== "tun");
  const own = addressesOf({ ...node, devices: { ...node.devices, items: cards } });
  return [...new Set([...known.filter((a) => own.length === 0 || own.includes(a)), ...own])];
}

/** The same in the same order. */
export const areSameSources = (a: readonly Source[], b: readonly Source[]): boolean =>
  a === b || (a.length === b.length && a.every((source, i) => isSameSource(source, b[i]!)));

const isSameSource = (a: Source, b: Source): boolean =>
  a.kind === b.kind &&
  a.from === b.from &&
  a.node === b.node &&
  a.namespace === b.namespace &&
  a.addresses.length === b.addresses.length &&
  a.addresses.every((address, i) => address === b.addresses[i]);

/** Everybody who can ask, in the order of the World: nodes, pods of each, other hosts, somebody outside through each node. */
export function sourcesOf(world: World): readonly Source[] {
  const nodes = world.stacks.filter((s) => s.kind === "node" && isShown(s));
  const hosts = world.stacks.filter((s) => (s.kind === "vm" || s.kind === "client") && isShown(s));
  const base = { namespace: null, arrives: false } as const;
  return [
    ...nodes.map((s): Source => {
      return { ...base, kind: "node", from: `node/${s.name}`, node: s.name, addresses: addressesOf(s) };
    }),
    ...podsOf(world, nodes),
    ...hosts.map((s): Source => {
      return { ...base, kind: "host", from: `stack/${s.name}`, node: s.node ?? null, addresses: addressesOf(s) };
    }),
    ...nodes.map((s): Source => {
      return { ...base, kind: "external", from: "external", node: s.name, arrives: true, addresses: addressesOf(s) };
    }),
  ];
}

/** Pods that were dumped, that an object names, that an endpoint is, and whoever a host route leads to by a veth. */
function podsOf(world: World, nodes: readonly Stack[]): readonly Source[] {
  const found: Source[] = [];
  const seen = new Set<Address>();
  const add = (source: Source): void => {
    const fresh = source.addresses.filter((a) => !seen.has(a));
    if (fresh.length < source.addresses.length || source.addresses.length === 0) return;
    for (const address of fresh) seen.add(address);
    found.push(source);
  };
  const objects = world.kubernetes.pods.filter((p) => !p.hostNetwork && !isOver(p) && p.addresses.length > 0);
  const named = new Set(nodes.map((n) => n.name));
  const ofNodes = new Set(world.kubernetes.nodes.flatMap((n) => n.addresses));
  for (const pod of objects) {
    // A pod of a node of which nothing was shown stands nowhere.
    if (pod.nodeName === undefined || !named.has(pod.nodeName)) continue;
    const { namespace, name, nodeName: node, addresses } = pod;
    add({ kind: "pod", from: `pod/${namespace}/${name}`, node, namespace, arrives: false, addresses });
  }
  for (const stack of world.stacks) {
    if (stack.kind !== "pod" || !isShown(stack)) continue;
    const [namespace] = stack.name.includes("/") ? stack.name.split("/").slice(-2) : [null];
    const addresses = addressesOf(stack);
    const node = stack.node ?? null;
    add({ kind: "pod", from: `stack/${stack.name}`, node, namespace: namespace ?? null, arrives: false, addresses });
  }
  for (const slice of world.kubernetes.endpoints)
    for (const { addresses, nodeName } of slice.endpoints) {
      if (nodeName === undefined || !named.has(nodeName) || addresses.some((a) => ofNodes.has(a))) continue;
      const [first] = addresses;
      if (first === undefined || slice.family === "FQDN") continue;
      const { namespace } = slice;
      add({ kind: "pod", from: formatAddress(first), node: nodeName, namespace, arrives: false, addresses: [first] });
    }
  for (const node of nodes)
    for (const address of behindVeths(node))
      add({
        kind: "pod",
        from: formatAddress(address),
        node: node.name,
        namespace: null,
        arrives: false,
        addresses: [address],
      });
  return found;
}

function behindVeths(node: Stack): readonly Address[] {
  const veths = new Set(node.devices.items.filter((d) => d.kind === "veth").map((d) => d.name));
  return node.routeTables
    .filter((t) => t.id === TABLE_MAIN)
    .flatMap((t) => t.routes)
    .filter((r) => r.type === "unicast" && isHost(r.destination) && veths.has(r.nexthops[0]?.device ?? ""))
    .map((r) => r.destination.address);
}
