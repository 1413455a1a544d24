import { formatVersion } from "../../kubernetes/index.ts";
import { type Text, text } from "../../messages/index.ts";
import {
  assumed,
  type CaseFile,
  type Chain,
  type Device,
  type IpSet,
  type IptablesTable,
  isServiceChain,
  KUBE_IPVS0,
  type KubernetesNode,
  type KubernetesObjects,
  type NftTable,
  type Stack,
  type StackProgramme,
  type SysctlEntry,
  TABLE_LOCAL,
} from "../../model/index.ts";
import { append } from "../../net/append.ts";
import { type Family, formatAddress, isIpv4 } from "../../net/index.ts";
import type { Dump } from "../../parse/index.ts";
import type { Ledger } from "../ledger.ts";
import { isKubeProxys, showsAllTables } from "../netfilter/not-shown.ts";
import { listGaps } from "./gaps.ts";
import { referencedSets } from "./mode.ts";
import { type ModesElsewhere, modeOfDumped, showsNft } from "./mode-of-dumped.ts";
import { nodeOfStack } from "./node-of-stack.ts";
import { healthCheckListeners, programmeOf } from "./programmed-stack.ts";
import { servicesOfRows } from "./service-rows.ts";
import { settingsOf } from "./settings.ts";

const FILLED = assumed("as kube-proxy would have programmed it");

/** Every cluster has this Service: where it was shown, all Services of all namespaces were. */
const showsAll = (objects: KubernetesObjects): boolean =>
  objects.services.some((s) => s.form === "object" && s.namespace === "default" && s.name === "kubernetes") &&
  objects.endpoints.some((e) => e.form === "object");

/**
 * What nobody dumped of a node of which something was dumped: tables, sets, virtual servers, addresses of kube-ipvs0 and switches, as
 * kube-proxy would have programmed them from the objects, each where no dump shows it. What was read stays as it is.
 */
export function fillGaps(
  stack: Stack,
  dumps: readonly Dump[],
  shown: KubernetesObjects,
  caseFile: CaseFile | undefined,
  elsewhere: ModesElsewhere,
  ledger: Ledger,
): Stack {
  const replaced = stack.otherDatapaths?.some((d) => d.services === "all") === true;
  const objects = stack.kind !== "node" || dumps.length === 0 || replaced ? undefined : programmable(shown);
  if (objects === undefined) return stack;
  const node = nodeOfStack(stack, objects);
  const families: readonly Family[] = speaks6(node, objects) ? [4, 6] : [4];
  const missing = new Map(families.map((family) => [family, missingTables(stack, dumps, family)]));
  const lacks = families.some((family) => missing.get(family)!.length > 0);
  const stated = caseFile?.nodes.find((n) => n.name === stack.name || n.name === node.name);
  const mode = modeOfDumped(stack, node, objects, stated, elsewhere, ledger);
  if (mode === undefined) return stack;
  if (mode !== "ipvs" && !lacks && !families.some((family) => callsUnshown(stack, family))) return stack;
  const settings = settingsOf(node, objects, stated, new Set([mode]), ledger, stack.netfilter.tables);
  const programme = programmeOf(node, objects, settings, mode, ownAddresses(stack));
  if (programme.netfilter.nativeNft.length > 0) return stack;
  const filled: Part[] = [];
  const bare = isBare(stack);
  let grown = mode === "nftables" && lacks ? withNft(stack, programme, families, showsAll(objects), filled) : stack;
  if (mode !== "nftables")
    for (const family of families) {
      grown = withRules(grown, programme, family, missing.get(family)!, showsAll(objects), filled);
      grown = withCalledChains(grown, programme, family, filled);
    }
  if (mode === "ipvs")
    grown = withSets(withServers(withVips(grown, programme, bare, filled), programme, filled), programme, filled);
  if (filled.length === 0) return stack;
  const by = `kube-proxy ${formatVersion(settings.version)} in ${mode} mode`;
  ledger.assume(
    `${stack.name}/kube-proxy/programme`,
    by,
    text("assume.filled", { stack: stack.name, parts: filled, version: formatVersion(settings.version), mode }),
  );
  listGaps(objects, settings.config, ledger);
  return withListeners(withSwitches(grown, programme), objects);
}

type Part = Text | string;

/** kube-proxy writes both families wherever it can; what it writes for one of which no object has an address serves nobody. */
const speaks6 = (node: KubernetesNode, { services }: KubernetesObjects): boolean =>
  [...node.addresses, ...services.flatMap((s) => [...s.clusterIps, ...s.externalIps, ...s.loadBalancerIps])].some(
    (a) => !isIpv4(a),
  );

/** What kube-proxy can be taken to have gone by: objects, or rows of tables where nothing else was shown. */
function programmable(objects: KubernetesObjects): KubernetesObjects | undefined {
  if (isProgrammable(objects)) return objects;
  // `kubectl describe service` shows all of a Service and its endpoints as a row does.
  if (objects.services.some((s) => s.form === "object") && !objects.endpoints.some((e) => e.form === "row"))
    return undefined;
  const rows = servicesOfRows(objects);
  return rows.services.length > 0 ? rows : undefined;
}

/**
 * Services without endpoints would all be refused: where nobody showed any endpoints, that is not to be made up, unless the objects show
 * all else that kube-proxy goes by (then it is as from objects alone, and the gap is listed).
 */
function isProgrammable({ services, endpoints, noEndpoints, nodes, kubeProxyConfigs }: KubernetesObjects): boolean {
  if (!services.some((s) => s.form === "object")) return false;
  if (noEndpoints === true || endpoints.some((e) => e.form === "object")) return true;
  return kubeProxyConfigs.length > 0 && nodes.some((n) => n.form === "object");
}

/** Where kube-proxy finds addresses for node ports: on every device but its own. */
const ownAddresses = ({ devices }: Stack) =>
  devices.extent === "whole" && devices.items.every((d) => d.addressesKnown || d.name === KUBE_IPVS0)
    ? devices.items.filter((d) => d.name !== KUBE_IPVS0).flatMap((d) => d.addresses.map((a) => a.prefix.address))
    : undefined;

/** No dump shows anything that kube-proxy writes, so that nothing speaks against its having written all of it. */
const isBare = ({ netfilter, ipsets, ipvs }: Stack): boolean =>
  netfilter.tables.length === 0 && ipsets.items.length === 0 && ipvs.extent === "unread";

const KUBE_PROXYS = ["nat", "filter"] as const;

/**
 * The tables of kube-proxy that no dump shows. Where one of the two was shown whole and holds nothing of kube-proxy's, it has not
 * written the other either: then none is made up.
 */
function missingTables(
  { netfilter }: Stack,
  dumps: readonly Dump[],
  family: Family,
): readonly (typeof KUBE_PROXYS)[number][] {
  if (showsNft(netfilter) || dumps.some((d) => showsAllTables(d, family))) return [];
  // An older kube-proxy writes IPv4 alone: tables of IPv6 without it say nothing of that.
  const shown = netfilter.tables.filter((t) => t.family <= family && KUBE_PROXYS.some((name) => name === t.name));
  if (shown.some((t) => t.extent === "whole" && !isKubeProxys(t))) return [];
  return KUBE_PROXYS.filter((name) => !shown.some((t) => t.family === family && t.name === name));
}

function withRules(
  stack: Stack,
  { netfilter }: StackProgramme,
  family: Family,
  missing: readonly string[],
  all: boolean,
  filled: Part[],
): Stack {
  if (missing.length === 0) return stack;
  const bare = !stack.netfilter.tables.some((t) => t.family === family);
  const added = netfilter.tables
    .filter((t) => t.family === family && (bare || missing.includes(t.name)))
    // Other Services may be in it that nobody gave.
    .map((t): IptablesTable => ({ ...t, extent: all ? t.extent : "partial", origin: FILLED }));
  if (added.length === 0) return stack;
  const tool = family === 6 ? "ip6tables" : "iptables";
  filled.push(bare ? tool : text("assume.part-tables", { tool, tables: added.map((t) => t.name) }));
  return { ...stack, netfilter: { ...stack.netfilter, tables: [...stack.netfilter.tables, ...added] } };
}

/** Per-Service chains that shown rules call and no dump shows; `undefined`: the table shows all it has. */
function unshownIn(table: IptablesTable): ReadonlySet<string> {
  // Of a table that shows all nothing is read for it.
  if (table.extent === "whole") return new Set();
  const { chains } = table;
  const shown = new Set(chains.map((c) => c.name));
  const called = chains.flatMap((c) => c.rules.flatMap((r) => (r.target.kind === "jump" ? [r.target.chain] : [])));
  return new Set(called.filter((name) => isServiceChain(name) && !shown.has(name)));
}

const callsUnshown = ({ netfilter }: Stack, family: Family): boolean =>
  netfilter.tables.some((t) => t.name === "nat" && t.family === family && unshownIn(t).size > 0);

/** The name of a Service's chain is a hash of the Service: what an excerpt calls and does not show is the chain of that name. */
function withCalledChains(stack: Stack, { netfilter }: StackProgramme, family: Family, filled: Part[]): Stack {
  const made = netfilter.tables.find((t) => t.name === "nat" && t.family === family)?.chains ?? [];
  const added: string[] = [];
  const tables = stack.netfilter.tables.map((table) => {
    if (table.name !== "nat" || table.family !== family) return table;
    let grown = table;
    for (let wanted = unshownIn(grown); wanted.size > 0; wanted = unshownIn(grown)) {
      const chains = made.filter((c) => wanted.has(c.name)).map((c): Chain => ({ ...c, origin: FILLED }));
      if (chains.length === 0) break;
      append(
        added,
        chains.map((c) => c.name),
      );
      grown = { ...grown, chains: [...grown.chains, ...chains] };
    }
    return grown;
  });
  if (added.length === 0) return stack;
  filled.push(text("assume.part-chains", { chains: added }));
  return { ...stack, netfilter: { ...stack.netfilter, tables } };
}

/** The same of kube-proxy's nft table: where any listing was shown, it would have shown that one. */
function withNft(
  stack: Stack,
  { netfilter }: StackProgramme,
  families: readonly Family[],
  all: boolean,
  filled: Part[],
): Stack {
  const nft = netfilter.nft?.filter((t) => families.includes(t.family === "ip6" ? 6 : 4)) ?? [];
  if (stack.netfilter.nft !== undefined || nft.length === 0) return stack;
  filled.push("nftables");
  const added = nft.map((t): NftTable => ({ ...t, extent: all ? t.extent : "partial", origin: FILLED }));
  return { ...stack, netfilter: { ...stack.netfilter, nft: added } };
}

/** Sets that rules ask, of which no dump shows one; what was derived from IPVS gives way. */
function withSets(stack: Stack, { ipsets }: StackProgramme, filled: Part[]): Stack {
  if (stack.ipsets.extent === "whole") return stack;
  const shown = stack.ipsets.items.filter((s) => s.origin.kind === "read");
  const wanted = referencedSets(stack.netfilter.tables);
  const isMissing = (s: IpSet): boolean => wanted.has(s.name) && !shown.some((x) => x.name === s.name);
  const missing = ipsets.items.filter(isMissing).map((s): IpSet => ({ ...s, origin: FILLED }));
  if (missing.length === 0) return stack;
  filled.push(text("assume.part-sets", { sets: missing.map((s) => s.name) }));
  const others = stack.ipsets.items.filter((s) => !missing.some((m) => m.name === s.name));
  return { ...stack, ipsets: { ...stack.ipsets, items: [...others, ...missing] } };
}

function withServers(stack: Stack, { ipvs }: StackProgramme, filled: Part[]): Stack {
  if (stack.ipvs.extent !== "unread") return stack;
  filled.push(text("assume.part-servers"));
  return { ...stack, ipvs: { ...stack.ipvs, services: ipvs.services, extent: "whole" } };
}

/** Addresses on kube-ipvs0 where its own list was not shown, and their part of the local table. */
function withVips(stack: Stack, programme: StackProgramme, bare: boolean, filled: Part[]): Stack {
  const [made] = programme.devices;
  const known = stack.devices.items.find((d) => d.name === KUBE_IPVS0);
  if (made === undefined || known?.addressesKnown === true) return stack;
  // A list of all devices that lacks it is believed where anything else shows what kube-proxy wrote.
  if (known === undefined && stack.devices.extent === "whole" && !bare) return stack;
  const own = new Set(stack.devices.items.flatMap((d) => d.addresses.map((a) => formatAddress(a.prefix.address))));
  const fresh = made.addresses.filter((a) => !own.has(formatAddress(a.prefix.address)));
  if (fresh.length === 0) return stack;
  filled.push(text("assume.part-addresses", { device: KUBE_IPVS0 }));
  const device: Device = known ?? made;
  const grown: Device = { ...device, addresses: [...(known?.addresses ?? []), ...fresh], addressesKnown: true };
  const items =
    known === undefined ? [...stack.devices.items, grown] : stack.devices.items.map((d) => (d === known ? grown : d));
  const wanted = new Set(fresh.map((a) => formatAddress(a.prefix.address)));
  const routes = programme.routes.filter((r) => wanted.has(formatAddress(r.destination.address)));
  return {
    ...stack,
    devices: { ...stack.devices, items },
    routeTables: stack.routeTables.map((t) =>
      t.id === TABLE_LOCAL ? { ...t, routes: [...t.routes, ...routes.filter((r) => r.family === t.family)] } : t,
    ),
  };
}

/** Switches that kube-proxy sets, where no dump shows them. */
function withSwitches(stack: Stack, { sysctls }: StackProgramme): Stack {
  const missing = [...sysctls].filter(([key]) => !stack.sysctls.has(key));
  if (missing.length === 0) return stack;
  return { ...stack, sysctls: new Map<string, SysctlEntry>([...stack.sysctls, ...missing]) };
}

function withListeners(stack: Stack, objects: KubernetesObjects): Stack {
  const { listeners } = stack;
  const own = healthCheckListeners(objects);
  if (listeners.extent === "whole" || own.length === 0) return stack;
  return { ...stack, listeners: { ...listeners, items: [...listeners.items, ...own], extent: "partial" } };
}
