import {
  type CaseFile,
  derived,
  type KubernetesObjects,
  NO_OBJECTS,
  type Origin,
  type Stack,
  TABLE_LOCAL,
} from "../model/index.ts";
import { type Address, type Family, familyOf, formatAddress } from "../net/index.ts";
import type { Dump } from "../parse/index.ts";
import { withProvenAddresses } from "./addresses.ts";
import { complete } from "./complete.ts";
import { withDelegated } from "./devices/delegated.ts";
import { withKinds } from "./devices/kind.ts";
import { withLoopback } from "./devices/loopback.ts";
import { mentionedDevices } from "./devices/mentioned.ts";
import { inRegistrationOrder, mergeDevices } from "./devices/merge.ts";
import { dumpedIn } from "./dumped.ts";
import type { StackDumps } from "./group.ts";
import { mergeSets } from "./ipsets/merge.ts";
import { mergeIpvs } from "./ipvs.ts";
import { withBaseChains } from "./kube-proxy/base-chains.ts";
import { kubeProxyOf, referencedSets } from "./kube-proxy/mode.ts";
import { nodePortAddresses } from "./kube-proxy/node-addresses.ts";
import { servedBy, splitServed } from "./kube-proxy/served.ts";
import { kubeProxySets } from "./kube-proxy/sets.ts";
import { withVips } from "./kube-proxy/vips.ts";
import type { Ledger } from "./ledger.ts";
import { mergeListings } from "./listings.ts";
import { mergeMachine } from "./machine.ts";
import { mergeTables } from "./netfilter/merge.ts";
import { nativeNft } from "./netfilter/native-nft.ts";
import { mergeConntrack, mergeListeners } from "./observed.ts";
import { otherDatapathsOf, withPrograms } from "./other-datapaths/index.ts";
import { mergeRoutes } from "./routes/merge.ts";
import { mergeRules } from "./routes/rules.ts";
import { extentOf, mainExtent, routeTables } from "./routes/tables.ts";
import { sightingsIn } from "./sightings.ts";
import { statedVips, withStatedAddresses } from "./stated.ts";
import { mergeSysctls } from "./sysctls.ts";

/**
 * One stack from its dumps: what they show is merged, what follows from it derived, what is still missing for a walk made up
 * and listed. Later steps see what earlier ones added, so the order is part of the meaning.
 */
export function buildStack(
  group: StackDumps,
  ordinal: number,
  caseFile: CaseFile | undefined,
  ledger: Ledger,
  objects: KubernetesObjects = NO_OBJECTS,
): Stack {
  const { name, kind, dumps, stated } = group;
  const statedNode = caseFile?.nodes.find((n) => n.name === name);

  const machine = mergeMachine(dumpedIn(dumps, "machine"), statedNode);
  const listed = mergeDevices(dumpedIn(dumps, "devices"));
  const nexthops = dumpedIn(dumps, "nexthops").flatMap((s) => s.fact.nexthops);
  const shown = mergeRoutes(dumpedIn(dumps, "routes"), nexthops);
  const rules = mergeRules(dumpedIn(dumps, "routing-rules"), name, ledger);
  const ipsets = mergeSets(dumpedIn(dumps, "ipset"));
  const listedIpvs = mergeIpvs(dumpedIn(dumps, "ipvs"), dumpedIn(dumps, "ipvs-connections"));
  const shownTables = mergeTables(dumpedIn(dumps, "iptables"), machine);
  const tables = kind === "node" ? withBaseChains(shownTables, name, ledger) : shownTables;
  const neighbours = mergeListings(
    dumpedIn(dumps, "neighbours").map(({ fact }) => ({ items: fact.neighbours, extent: fact.extent })),
    (n) => `${formatAddress(n.address)} ${n.device} ${n.proxy}`,
  );

  // Devices and their addresses, from what is listed to what must be there.
  const routes = shown.tables.flatMap((t) => t.routes);
  const mentions = { routes, rules: rules.items, neighbours: neighbours.items, ipsets: ipsets.items, dumps };
  let devices = [...listed.items, ...mentionedDevices(listed.items, mentions)];
  devices = [...inRegistrationOrder(withLoopback(withKinds(devices, kind === "node")))];
  devices = [...withStatedAddresses(devices, stated)];
  const gets = dumpedIn(dumps, "route-gets").flatMap((s) => s.fact.answers);
  devices = [...withProvenAddresses(devices, { routes, gets })];
  // A complete local table shows every address there is.
  if (extentOf(shown, TABLE_LOCAL) === "whole") devices = devices.map((d) => ({ ...d, addressesKnown: true }));
  const given = dumpedIn(dumps, "card-addresses").flatMap((d) => d.fact.addresses);
  devices = [...withDelegated(devices, given, routes)];
  const native = nativeNft(
    dumpedIn(dumps, "nft"),
    tables,
    dumpedIn(dumps, "nft-hooks"),
    dumpedIn(dumps, "nft-tables"),
    devices,
  );
  const otherDatapaths =
    kind === "node"
      ? otherDatapathsOf(
          { node: name, devices, devicesExtent: listed.extent, tables, nft: native.nft ?? [], objects },
          dumps,
        )
      : [];
  devices = [...withPrograms(devices, otherDatapaths, dumps)];

  const kubeProxy = kubeProxyOf({ tables, devices, ipsets: ipsets.items, ipvs: listedIpvs }, statedNode);
  const served = splitServed(servedBy(listedIpvs), devices);
  const vips = withVips({
    devices,
    allDevices: listed.extent === "whole",
    ipvs: listedIpvs,
    ipsets: ipsets.items,
    services: served.services,
    kubeProxy,
    stated: statedVips(caseFile, name),
  });
  const own = new Map<Address, Origin>([
    ...nodePortAddresses(tables, served.nodePorts),
    ...addressesOfNode(name, objects),
  ]);
  const completed = complete(
    {
      devices: vips.devices,
      routes,
      own,
      mainShown: mainExtent(shown, vips.devices, machine.kernel),
      stack: name,
      kind,
      ordinal,
    },
    ledger,
  );

  const nodeKnown = (family: Family): boolean =>
    served.nodePorts.some((s) => familyOf(s.address) === family) ||
    devices.some(
      (d) =>
        d.kind !== "loopback" &&
        d.kind !== "dummy" &&
        d.addresses.some((a) => familyOf(a.prefix.address) === family && a.scope === "global"),
    );
  // Rules are looked through only where something hangs on the sets they name.
  const query =
    kubeProxy?.mode === "ipvs" || ipsets.extent === "whole" ? referencedSets(tables) : new Map<string, Origin>();
  const wanted = new Map([...query].filter(([set]) => !ipsets.items.some((s) => s.name === set)));
  const derivedSets =
    kubeProxy?.mode === "ipvs" && ipsets.extent !== "whole"
      ? kubeProxySets({ tables, shown: ipsets.items, wanted, ipvs: listedIpvs, ...served, nodeKnown }, name, ledger)
      : [];

  const sightings = sightingsIn(dumps);
  return {
    name,
    kind,
    ...(group.node === undefined ? {} : { node: group.node }),
    machine,
    devices: { items: completed.devices, extent: listed.extent },
    routingRules: rules,
    routeTables: routeTables(shown, completed.devices, rules.items, completed.routes, machine.kernel),
    neighbours,
    fdb: mergeListings(
      dumpedIn(dumps, "fdb").map(({ fact }) => ({ items: fact.entries, extent: fact.extent })),
      (e) => JSON.stringify([e.mac, e.device, e.vlan, e.destination, e.master]),
    ),
    bridgeVlans: mergeListings(
      dumpedIn(dumps, "bridge-vlans").map(({ fact }) => ({ items: fact.vlans, extent: fact.extent })),
      (v) => `${v.device} ${v.from} ${v.to}`,
    ),
    netfilter: { tables, ...native },
    ipsets: { items: [...ipsets.items, ...derivedSets], extent: ipsets.extent },
    ipvs: vips.ipvs,
    conntrack: mergeConntrack(dumpedIn(dumps, "conntrack")),
    listeners: mergeListeners(dumpedIn(dumps, "listeners")),
    sysctls: mergeSysctls(dumpedIn(dumps, "sysctls"), machine, kubeProxy, name, ledger),
    ...(completed.rulesOnly ? { rulesOnly: true } : {}),
    ...(rules.extent === "unread" && wasCollected(dumps) ? { rulesUncollected: true as const } : {}),
    ...(otherDatapaths.length > 0 && { otherDatapaths }),
    ...(sightings.length > 0 && { sightings }),
    origin: stackOrigin(group, statedNode?.origin),
  };
}

/** Of a support bundle, and not of somebody who showed what matters; all tables beside no rule in need of them would say enough. */
const wasCollected = (dumps: readonly Dump[]): boolean =>
  dumps.some((d) => d.node.by === "bundle") && !dumpedIn(dumps, "routes").some(({ fact }) => fact.tables === "all");

function stackOrigin({ dumps, stated }: StackDumps, node: Origin | undefined): Origin {
  const [first] = dumps;
  if (stated !== undefined) return stated.origin;
  if (first !== undefined) return { kind: "read", file: first.file, line: first.lines[0] };
  return node ?? { kind: "assumed", rule: "node without a dump" };
}

/** What the node's own object says its addresses are; without one, what the pods that run on it say of their host. */
function addressesOfNode(name: string, { nodes, pods }: KubernetesObjects): readonly (readonly [Address, Origin])[] {
  const own = nodes.filter((n) => n.name === name);
  if (own.length > 0)
    return own.flatMap((n) => n.addresses.map((a) => [a, derived("address of the Node object", n.origin)] as const));
  const hosts = new Map<Address, Origin>();
  for (const { nodeName, hostAddress, origin } of pods)
    if (nodeName === name && hostAddress !== undefined && !hosts.has(hostAddress))
      hosts.set(hostAddress, derived("host address of a Pod", origin));
  return [...hosts];
}
