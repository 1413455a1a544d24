import { type Device, type IptablesTable, type Stack, TABLE_MAIN, type World } from "@hairpin/core/model/index.ts";
import { formatAddress, ipv4Of, isIpv4, PROTO, parseLinkAddress, parseMac } from "@hairpin/core/net/index.ts";
import type { LabStack } from "../plan.ts";
import type { Remarks } from "./report.ts";
import { routingOf } from "./routes.ts";
import { type ChosenFacts, sysctlsOf } from "./sysctls.ts";
import { vxlanEntries } from "./tunnels.ts";

/** 169.254.1.1, the next hop of a made-up pod whose default route names none. */
const POD_GATEWAY = ipv4Of(0xa9fe0101);

export function labStackOf(
  world: World,
  stack: Stack,
  devices: ReadonlyMap<string, readonly Device[]>,
  facts: ChosenFacts,
  remarks: Remarks,
): LabStack {
  const own = devices.get(stack.name)!;
  // Link-local addresses alone are noise.
  const ipv6 = own.some((d) => d.addresses.some((a) => !isIpv4(a.prefix.address) && a.scope === "global"));
  const vxlan = vxlanEntries(world, stack, devices, remarks);
  const permanent = stack.neighbours.items.filter((n) => {
    const other = n.mac !== undefined && parseMac(n.mac) === undefined && parseLinkAddress(n.mac) !== undefined;
    if (other) remarks.add("missing", stack.name, `the neighbour ${formatAddress(n.address)}, whose address is no MAC`);
    return !other && (n.proxy || n.states.includes("PERMANENT") || n.states.includes("NOARP"));
  });
  return {
    name: stack.name,
    role: stack.assumed === undefined ? "stack" : "outside",
    devices: own,
    ...withGateway(world, stack, devices, {
      ...routingOf(stack, own, remarks),
      neighbours: [...permanent, ...vxlan.neighbours].filter((n) => own.some((d) => d.name === n.device)),
    }),
    fdb: vxlan.fdb.filter((e) => own.some((d) => d.name === e.device)),
    bridgeVlans: stack.bridgeVlans.items,
    tables: tablesOf(stack, facts, remarks),
    nft: nftOf(stack, facts),
    nftFirst: (stack.netfilter.nativeRegistered ?? facts.get(`${stack.name}/netfilter/native-registered`)) === "first",
    ipsets: stack.ipsets.items,
    services: stack.ipvs.services,
    conntrack: connectionsOf(stack),
    sysctls: sysctlsOf(stack, own, ipv6, facts, remarks),
    ipv6,
  };
}

/** Tables get their chains as they are made: of two at one priority the other way round, if that was chosen. */
function nftOf({ name, netfilter }: Stack, facts: ChosenFacts): LabStack["nft"] {
  const order = netfilter.nativeOrder ?? facts.get(`${name}/netfilter/native-order`);
  return order === "reversed" ? [...(netfilter.nft ?? [])].reverse() : (netfilter.nft ?? []);
}

/** Of a listing as long as a busy node's no more are made than a start of a tool each allows. */
const MAX_CONNECTIONS = 32;

/** Those of UDP, which are met again by any later datagram; of TCP a new connection starts anew. */
const connectionsOf = ({ conntrack }: Stack): NonNullable<LabStack["conntrack"]> =>
  conntrack.items
    .filter((e) => e.original.protocol === PROTO.udp && isIpv4(e.original.src) && e.zone === 0)
    .slice(0, MAX_CONNECTIONS);

/** At equal priority what was registered later runs first, so the tables registered first are loaded first. */
function tablesOf(stack: Stack, facts: ChosenFacts, remarks: Remarks): readonly IptablesTable[] {
  const { tables } = stack.netfilter;
  const firstRegistered = stack.netfilter.firstRegistered ?? facts.get(`${stack.name}/netfilter/registered-first`);
  const both = tables.some((t) => t.backend === "legacy") && tables.some((t) => t.backend === "nft");
  if (both && firstRegistered === undefined) {
    remarks.add("assumed", stack.name, "the legacy tables were registered before those of nft");
  }
  const first = firstRegistered ?? "legacy";
  return [...tables.filter((t) => t.backend === first), ...tables.filter((t) => t.backend !== first)];
}

type Reach = Pick<LabStack, "routes" | "removedRoutes" | "rules" | "neighbours">;

/**
 * A pod that the walk made up sends everything to the host's side of its veth. Here the host would have to answer ARP for
 * every address, so the pod gets a next hop whose MAC it knows.
 */
function withGateway(world: World, stack: Stack, devices: ReadonlyMap<string, readonly Device[]>, reach: Reach): Reach {
  const link = world.links.find((l) => l.type === "veth" && l.ends.some((e) => e.stack === stack.name));
  const far = link?.ends.find((e) => e.stack !== stack.name);
  if (stack.assumed === undefined || far === undefined) return reach;
  const there = devices.get(far.stack) ?? [];
  const port = there.find((d) => d.name === far.device);
  // On a bridge others answer for themselves.
  if (port?.master !== undefined) return reach;
  const mac = port?.mac;
  const near = link!.ends.find((e) => e.stack === stack.name)!.device;
  const open = reach.routes.find(
    (r) => r.table === TABLE_MAIN && r.destination.length === 0 && r.nexthops.every((hop) => hop.gateway === undefined),
  );
  if (open === undefined || mac === undefined) return reach;
  const hop = { gateway: POD_GATEWAY, device: near, weight: 1, flags: ["onlink"] };
  return {
    ...reach,
    routes: reach.routes.map((r) => (r === open ? { ...r, nexthops: [hop] } : r)),
    neighbours: [
      ...reach.neighbours,
      {
        address: POD_GATEWAY,
        device: near,
        mac,
        states: ["PERMANENT"],
        router: true,
        proxy: false,
        origin: open.origin,
      },
    ],
  };
}
