import { memo } from "../../datapath/index.ts";
import type { Device, DeviceAddress, KubernetesPod, Stack, World } from "../../model/index.ts";
import { type Address, contains, isHost } from "../../net/index.ts";
import { hostedBy, neighboursOf } from "./known-hosts.ts";

/** Who has an address: the first kind below that applies. */
export type Owner =
  /** On a device of a stack. */
  | { readonly kind: "device"; readonly stack: Stack; readonly device: Device }
  /** A /32 or on-link route to a veth: a pod behind it that nobody dumped. */
  | { readonly kind: "behind"; readonly stack: Stack; readonly device: Device }
  /** In the subnet of a bridge. */
  | { readonly kind: "bridged"; readonly stack: Stack; readonly bridge: Device };

/** The node a Pod object says it runs on, where that node was shown, and by which device it would send to the pod. */
export interface Home {
  readonly pod: KubernetesPod;
  readonly node: Stack;
  readonly device?: Device;
}

export function homeOfPod(world: World, address: Address): Home | undefined {
  const pod = world.kubernetes.pods.find((p) => !p.hostNetwork && p.addresses.some((a) => a === address));
  const node =
    pod?.nodeName === undefined
      ? undefined
      : world.stacks.find((s) => s.kind === "node" && s.assumed === undefined && s.name === pod.nodeName);
  if (pod === undefined || node === undefined) return undefined;
  const device = onLink(node, address);
  return { pod, node, ...(device === undefined ? {} : { device }) };
}

/** The device of the longest route to an address that names no gateway, but for a default one and the node's cards. */
function onLink(node: Stack, address: Address): Device | undefined {
  const routes = node.routeTables
    .flatMap((t) => t.routes)
    .filter((r) => r.type === "unicast" && r.destination.length > 0 && contains(r.destination, address))
    .sort((a, b) => b.destination.length - a.destination.length);
  const hop = routes[0]?.nexthops[0];
  if (hop?.device === undefined || hop.gateway !== undefined) return undefined;
  const device = node.devices.items.find((d) => d.name === hop.device);
  return device !== undefined && (device.kind === "bridge" || couldBeVeth(device)) ? device : undefined;
}

/** Addresses on these are the node's own business: an underlay does not deliver by them. */
const isVirtual = (d: Device): boolean => d.kind === "loopback" || d.kind === "dummy";

const owned = new WeakMap<World, Map<Address, Owner | null>>();

/** Kept by World: every packet of every branch is delivered by it. */
export function ownerOf(world: World, address: Address): Owner | undefined {
  const known = memo(owned, world, () => new Map<Address, Owner | null>());
  let owner = known.get(address);
  if (owner === undefined) {
    owner = foundOwner(world, address) ?? null;
    known.set(address, owner);
  }
  return owner ?? undefined;
}

const foundOwner = (world: World, address: Address): Owner | undefined =>
  onDevice(world, address, (d) => !isVirtual(d)) ?? behindRoute(world, address) ?? onBridge(world, address);

/** An address on any device, VIPs on dummies and loopback aliases included. */
export function onDevice(
  world: World,
  address: Address,
  accept: (d: Device) => boolean = () => true,
): Owner | undefined {
  for (const { stack, devices } of whereaboutsIn(world)) {
    const device = devices.get(address)?.find(accept);
    if (device !== undefined) return { kind: "device", stack, device };
  }
  return undefined;
}

/** Where addresses are found on one stack. */
interface Whereabouts {
  readonly stack: Stack;
  readonly devices: ReadonlyMap<Address, readonly Device[]>;
  readonly routed: ReadonlyMap<Address, Device>;
  readonly bridges: readonly Device[];
}

const whereabouts = new WeakMap<World, readonly Whereabouts[]>();

/** Kept by World, of what is kept by stack: whose each of ten thousand addresses is, is asked of every stack. */
const whereaboutsIn = (world: World): readonly Whereabouts[] =>
  memo(whereabouts, world, () =>
    world.stacks.map((stack): Whereabouts => {
      const isShown = stack.assumed === undefined;
      return {
        stack,
        devices: memo(addressed, stack, () => devicesByAddress(stack)),
        routed: isShown ? memo(routed, stack, () => devicesByRoute(stack)) : NOBODY,
        bridges: isShown ? memo(bridges, stack, () => stack.devices.items.filter((d) => d.kind === "bridge")) : [],
      };
    }),
  );

/** Kept by stack: a walk that makes up a host for each of a thousand endpoints asks every stack a thousand times. */
const addressed = new WeakMap<Stack, ReadonlyMap<Address, readonly Device[]>>();

/** The devices of a stack that have an address. */
export const devicesWith = (stack: Stack, address: Address): readonly Device[] =>
  memo(addressed, stack, () => devicesByAddress(stack)).get(address) ?? [];

function devicesByAddress({ devices }: Stack): ReadonlyMap<Address, readonly Device[]> {
  const found = new Map<Address, Device[]>();
  for (const device of devices.items)
    for (const { prefix } of device.addresses) {
      const known = found.get(prefix.address);
      if (known === undefined) found.set(prefix.address, [device]);
      else if (known[known.length - 1] !== device) known.push(device);
    }
  return found;
}

/** Kept by device: kube-ipvs0 has an address for each Service. */
const entries = new WeakMap<Device, ReadonlyMap<Address, readonly DeviceAddress[]>>();

/** The entries of a device for an address: several where it has it with several prefix lengths. */
export const entriesWith = (device: Device, address: Address): readonly DeviceAddress[] =>
  memo(entries, device, () => entriesByAddress(device)).get(address) ?? [];

function entriesByAddress({ addresses }: Device): ReadonlyMap<Address, readonly DeviceAddress[]> {
  const found = new Map<Address, DeviceAddress[]>();
  for (const entry of addresses) {
    const known = found.get(entry.prefix.address);
    if (known === undefined) found.set(entry.prefix.address, [entry]);
    else known.push(entry);
  }
  return found;
}

/** Behind a port of the node on which objects place it, where that was shown: others' routes are left over, unless their neighbour tables know it there. */
function behindRoute(world: World, address: Address): Owner | undefined {
  const all = whereaboutsIn(world);
  let leftOver: Owner | undefined;
  for (const { stack, routed: behind } of all) {
    const device = behind.get(address);
    if (device === undefined) continue;
    const owner: Owner = { kind: "behind", stack, device };
    const host = hostedBy(world, address);
    if (host === undefined || host === stack.name || neighboursOf(stack).has(address)) return owner;
    leftOver ??= owner;
  }
  if (leftOver === undefined) return undefined;
  const host = hostedBy(world, address);
  return all.some(({ stack: s }) => s.name === host && s.kind === "node" && s.assumed === undefined)
    ? undefined
    : leftOver;
}

const routed = new WeakMap<Stack, ReadonlyMap<Address, Device>>();
const NOBODY: ReadonlyMap<Address, Device> = new Map();

/** Whether a host route leads to an address by a veth. */
export const leadsByPort = (stack: Stack, address: Address): boolean =>
  memo(routed, stack, () => devicesByRoute(stack)).has(address);

/** Whoever a host route leads to by a veth, of several the first. */
function devicesByRoute(stack: Stack): ReadonlyMap<Address, Device> {
  const found = new Map<Address, Device>();
  for (const { routes } of stack.routeTables)
    for (const { type, destination, nexthops } of routes) {
      const [hop] = nexthops;
      if (type !== "unicast" || !isHost(destination) || hop?.device === undefined || hop.gateway !== undefined)
        continue;
      const device = stack.devices.items.find((d) => d.name === hop.device);
      if (device !== undefined && couldBeVeth(device) && !found.has(destination.address))
        found.set(destination.address, device);
    }
  return found;
}

/** A device of unknown kind that a host route points to is taken for a pod's veth; a card with addresses is not. */
const couldBeVeth = (d: Device): boolean =>
  d.kind === "veth" || d.kind === "tap" || (d.kind === "unknown" && d.addresses.length === 0 && d.master === undefined);

/** Kept by stack: a node has a veth for each of its pods, and a bridge or two. */
const bridges = new WeakMap<Stack, readonly Device[]>();

function onBridge(world: World, address: Address): Owner | undefined {
  for (const { stack, bridges: own } of whereaboutsIn(world))
    for (const bridge of own) {
      const covers = bridge.addresses.some((a) => !isHost(a.prefix) && contains(a.prefix, address));
      if (covers) return { kind: "bridged", stack, bridge };
    }
  return undefined;
}
