import {
  assumed,
  type Device,
  type FdbEntry,
  type Neighbour,
  type Stack,
  TABLE_MAIN,
  type World,
} from "@hairpin/core/model/index.ts";
import { type Address, hostPrefix, isIpv4, networkOf, type Prefix } from "@hairpin/core/net/index.ts";
import type { LabRelay } from "../plan.ts";
import type { Remarks } from "./report.ts";

const origin = assumed("derived for the lab");
const FLANNEL_UDP_PORT = 8285;

/** The address by which other nodes reach a stack's tunnel end: the tunnel's own local address, or the first card's. */
export function underlayOf(stack: Stack): Address | undefined {
  const main = stack.routeTables.find((t) => t.id === TABLE_MAIN && t.family === 4)?.routes ?? [];
  const out = main.find((r) => r.destination.length === 0)?.nexthops[0]?.device;
  const cards = stack.devices.items.filter((d) =>
    ["ethernet", "unknown", "bond", "team", "vlan", "bridge", "veth"].includes(d.kind),
  );
  const first = cards.find((d) => d.name === out) ?? cards.find((d) => d.kind !== "veth" && d.addresses.length > 0);
  return first?.addresses.find((a) => isIpv4(a.prefix.address))?.prefix.address;
}

/** Stacks that have the like of this tunnel device. */
const farEnds = (world: World, stack: Stack, device: Device): readonly { stack: Stack; device: Device }[] =>
  world.stacks
    .filter((s) => s !== stack)
    .flatMap((s) => {
      const same = s.devices.items.find(
        (d) =>
          d.kind === device.kind &&
          (d.name === device.name || (d.tunnel?.id !== undefined && d.tunnel.id === device.tunnel?.id)),
      );
      return same === undefined ? [] : [{ stack: s, device: same }];
    });

/** What flanneld writes for a vxlan device and a dump may lack: where each far MAC is, and which MAC each far address has. */
export function vxlanEntries(
  world: World,
  stack: Stack,
  devices: ReadonlyMap<string, readonly Device[]>,
  remarks: Remarks,
): { readonly fdb: readonly FdbEntry[]; readonly neighbours: readonly Neighbour[] } {
  const fdb: FdbEntry[] = stack.fdb.items.filter((e) => e.destination !== undefined);
  const neighbours: Neighbour[] = [];
  for (const device of stack.devices.items.filter((d) => d.kind === "vxlan")) {
    if (device.tunnel?.remote !== undefined || device.tunnel?.group !== undefined) continue;
    for (const far of farEnds(world, stack, device)) {
      const mac = devices.get(far.stack.name)?.find((d) => d.name === far.device.name)?.mac;
      const destination = far.device.tunnel?.local ?? underlayOf(far.stack);
      if (mac === undefined || destination === undefined) continue;
      // What was shown whole lacks what it lacks.
      const hint =
        stack.fdb.extent === "whole" || fdb.some((e) => e.device === device.name && e.destination === destination);
      if (!hint) {
        fdb.push({ mac, device: device.name, destination, flags: ["self", "permanent"], origin });
        remarks.add("assumed", stack.name, `${device.name} knows the far end on ${far.stack.name}`);
      }
      for (const { prefix } of far.device.addresses) {
        const known = stack.neighbours.items.some((n) => n.device === device.name && n.address === prefix.address);
        if (known || !isIpv4(prefix.address) || stack.neighbours.extent === "whole") continue;
        neighbours.push({
          address: prefix.address,
          device: device.name,
          mac,
          states: ["PERMANENT"],
          router: false,
          proxy: false,
          origin,
        });
      }
    }
  }
  return { fdb, neighbours };
}

/** flanneld's udp back end between the stacks that have a tun device of one name. */
export function relaysOf(world: World, remarks: Remarks): readonly LabRelay[] {
  return world.stacks.flatMap((stack) =>
    stack.devices.items
      .filter((d) => d.kind === "tun")
      .flatMap((device): readonly LabRelay[] => {
        const address = underlayOf(stack);
        const routes = farEnds(world, stack, device).flatMap((far) => {
          const via = underlayOf(far.stack);
          return via === undefined ? [] : prefixesOf(world, far.stack, far.device).map((to) => ({ to, via }));
        });
        if (routes.length === 0 || address === undefined) {
          remarks.add("missing", stack.name, `what answers behind ${device.name}`);
          return [];
        }
        remarks.add(
          "assumed",
          stack.name,
          `${device.name} is flannel's: packets go by UDP ${FLANNEL_UDP_PORT} between the nodes`,
        );
        return [{ stack: stack.name, device: device.name, port: FLANNEL_UDP_PORT, address, routes }];
      }),
  );
}

/** What lies behind a tunnel end: its own addresses, the bridges' subnets, the pods. */
function prefixesOf(world: World, stack: Stack, tunnel: Device): readonly Prefix[] {
  const own = tunnel.addresses.map((a) => hostPrefix(a.prefix.address));
  const bridges = stack.devices.items
    .filter((d) => d.kind === "bridge")
    .flatMap((d) => d.addresses.map((a) => networkOf(a.prefix)));
  const behind = world.stacks
    .filter((s) => s.node === stack.name || linkedTo(world, s, stack))
    .flatMap((s) =>
      s.devices.items
        .filter((d) => d.kind !== "loopback")
        .flatMap((d) => d.addresses.map((a) => hostPrefix(a.prefix.address))),
    );
  return [...own, ...bridges, ...behind].filter((p) => isIpv4(p.address));
}

const linkedTo = (world: World, a: Stack, b: Stack): boolean =>
  a.kind === "pod" &&
  world.links.some(
    (l) => l.type === "veth" && l.ends.some((e) => e.stack === a.name) && l.ends.some((e) => e.stack === b.name),
  );
