import { assumed, type Device, hostRoute, type Stack, type World, withRoute } from "../../model/index.ts";
import { type Address, contains, parsePrefix } from "../../net/index.ts";
import { madeDevice } from "./made-device.ts";
import { podPrograms } from "./other-datapaths.ts";

/** Where on a node that only objects tell of a packet from an address of nobody known would come in. */
export interface PodPlace {
  readonly node: Stack;
  readonly device: string;
}

/** By the device that the question names and nobody showed; else on the node whose podCIDR holds the address. */
export function placeOfPod(
  world: World,
  address: Address,
  at: Stack | undefined,
  device: string | undefined,
): PodPlace | undefined {
  if (device !== undefined && at?.fromObjects === true && !at.devices.items.some((d) => d.name === device))
    return { node: at, device };
  const home = world.kubernetes.nodes.find((n) =>
    n.podCidrs.some((c) => {
      const prefix = parsePrefix(c);
      return prefix !== undefined && contains(prefix, address);
    }),
  );
  const node = world.stacks.find((s) => s.fromObjects === true && s.name === home?.name);
  if (node === undefined || (at !== undefined && at !== node)) return undefined;
  return { node, device: madeDevice("veth", address) };
}

/** The node with a veth for a pod at this address, and a route to it. */
export function withPodEnd(world: World, { node, device }: PodPlace, address: Address): World {
  const origin = assumed("near end of a pod on a node without a dump");
  const near: Device = {
    name: device,
    kind: "veth",
    up: true,
    carrier: true,
    addresses: [],
    addressesKnown: true,
    ...podPrograms(node),
    origin,
  };
  const grown: Stack = {
    ...node,
    devices: { ...node.devices, items: [...node.devices.items, near] },
    routeTables: withRoute(node.routeTables, hostRoute(address, device, origin)),
  };
  return { ...world, stacks: world.stacks.map((s) => (s === node ? grown : s)) };
}

/** What a device that was made up is called is the user's to say. */
export function withDeviceCalled(world: World, node: Stack, device: string, name: string): World {
  const routeTables = node.routeTables.map((t) => ({
    ...t,
    routes: t.routes.map((r) =>
      r.nexthops.some((h) => h.device === device)
        ? { ...r, nexthops: r.nexthops.map((h) => (h.device === device ? { ...h, device: name } : h)) }
        : r,
    ),
  }));
  const items = node.devices.items.map((d) => (d.name === device ? { ...d, name } : d));
  const renamed: Stack = { ...node, devices: { ...node.devices, items }, routeTables };
  return { ...world, stacks: world.stacks.map((s) => (s === node ? renamed : s)) };
}
