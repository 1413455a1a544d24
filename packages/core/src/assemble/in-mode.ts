import { type Programmed, type ProxyMode, programme } from "../kubernetes/index.ts";
import { type Text, text } from "../messages/index.ts";
import {
  type Chain,
  type Device,
  type IptablesTable,
  isKubeletChain,
  isKubeProxyTable,
  isServiceChain,
  KUBE_IPVS0,
  type Netfilter,
  type NftTable,
  type Rule,
  type Stack,
  type SysctlEntry,
  TABLE_LOCAL,
  type World,
} from "../model/index.ts";
import { isProxySet } from "../model/owners/index.ts";
import { dummyOf, routesOf } from "./kube-proxy/programmed-stack.ts";
import { inputFor, modeOf } from "./patch/service/settings.ts";

/** Those that `programme` writes. */
export const PROXY_MODES = ["iptables", "ipvs", "nftables"] as const satisfies readonly ProxyMode[];
export type MovedMode = (typeof PROXY_MODES)[number];

/**
 * The World once kube-proxy runs in another mode on every shown node: what it wrote in its mode of before is gone, as it clears it
 * away when it starts, and what it writes from the same objects stands where it puts it. All else is as it is. A text says why not.
 */
export function inMode(world: World, mode: MovedMode): World | Text {
  if (world.kubernetes.services.length === 0) return text("error.no-services-shown");
  const moved = new Map<Stack, Stack>();
  const first = PROXY_MODES.find((m) => m === world.undecidedMode?.values[0]);
  const open = new Set([...(world.undecidedMode?.programmes.values() ?? [])].flatMap((nodes) => [...nodes.keys()]));
  for (const node of world.stacks) {
    if (node.kind !== "node" || node.assumed !== undefined) continue;
    const now = runsIn(node, world) ?? (open.has(node.name) ? first : undefined);
    if (now === undefined || (now === mode && !open.has(node.name))) continue;
    const after = movedNode(node, world, now, mode);
    if (after !== undefined) moved.set(node, after);
  }
  if (moved.size === 0) {
    const [one, other] = PROXY_MODES.filter((m) => m !== mode).map((m) => (m === "ipvs" ? "IPVS" : m));
    return text("error.no-node-to-move", { modes: text("assume.or", { one: one!, other: other! }) });
  }
  // Which mode it is in now is no matter then.
  const { undecidedMode: _, ...decided } = world;
  return { ...decided, stacks: world.stacks.map((s) => moved.get(s) ?? s) };
}

/**
 * kube-proxy's nftables mode shows by its table. What a configuration says (the pods' network, masquerading) is told from iptables rules
 * and not from those of nft: without it nobody can say what another mode would write.
 */
function runsIn(node: Stack, { kubernetes }: World): ProxyMode | undefined {
  if (!(node.netfilter.nft ?? []).some((t) => isKubeProxyTable(t.name))) return modeOf(node);
  return kubernetes.kubeProxyConfigs.length > 0 || node.fromObjects === true ? "nftables" : undefined;
}

function movedNode(node: Stack, { kubernetes }: World, from: ProxyMode, mode: MovedMode): Stack | undefined {
  const input = inputFor(node, kubernetes, from);
  if (input === undefined) return undefined;
  const { services } = kubernetes;
  const before = programme({ ...input, services });
  const after = programme({ ...input, config: { ...input.config, mode }, services });
  if (before.kind !== "programmed" || after.kind !== "programmed") return undefined;
  const bare = withoutProxy(node, before.families);
  return mode === "nftables"
    ? withNft(
        bare,
        after.families.flatMap((f) => f.nft ?? []),
      )
    : withRules(bare, after.families);
}

/** A node after `kube-proxy --cleanup`, which leaves sysctls as they are. */
function withoutProxy(node: Stack, before: readonly Programmed[]): Stack {
  const written = before.flatMap((f) => f.tables);
  const { nft, ...rest } = node.netfilter;
  const netfilter: Netfilter = {
    ...rest,
    tables: node.netfilter.tables.map((t) => cleared(t, written)),
    ...(nft !== undefined && { nft: nft.filter((t) => !isKubeProxyTable(t.name)) }),
  };
  return withoutDummy({
    ...node,
    netfilter,
    ipvs: { ...node.ipvs, services: [], connections: [] },
    ipsets: { ...node.ipsets, items: node.ipsets.items.filter((s) => !isProxySet(s.name)) },
  });
}

/** Its table stands behind what others registered. */
const withNft = (node: Stack, made: readonly NftTable[]): Stack => ({
  ...node,
  netfilter: { ...node.netfilter, nft: [...(node.netfilter.nft ?? []), ...made], nativeRegistered: "last" },
});

/** Rules of iptables, and in IPVS mode the sets they ask, virtual servers, their addresses on kube-ipvs0 and the switches it sets. */
function withRules(node: Stack, families: readonly Programmed[]): Stack {
  const made = families.flatMap((f) => f.tables);
  const dummy = dummyOf(families, node.origin);
  const placed = { ...node, netfilter: { ...node.netfilter, tables: withTables(node.netfilter.tables, made) } };
  const switches = families.flatMap((f) => f.sysctls.map((s): [string, SysctlEntry] => [s.key, s]));
  const switched: Stack = { ...placed, sysctls: new Map([...node.sysctls, ...switches]) };
  if (dummy === undefined) return switched;
  return withDummy(
    {
      ...switched,
      ipvs: { services: families.flatMap((f) => f.virtualServers), connections: [], extent: "whole" },
      ipsets: { ...node.ipsets, items: [...node.ipsets.items, ...families.flatMap((f) => f.sets)] },
    },
    dummy,
  );
}

/** Each made table in the one of its name, where kubelet's chains tell which of two; else beside the others. */
function withTables(tables: readonly IptablesTable[], made: readonly IptablesTable[]): readonly IptablesTable[] {
  const grown = [...tables];
  for (const own of made) {
    const same = grown.filter((t) => t.name === own.name && t.family === own.family);
    const at = same.find((t) => t.chains.some((c) => isKubeletChain(c.name))) ?? same[0];
    const [beside] = grown;
    if (at !== undefined) grown[grown.indexOf(at)] = withTable(at, own);
    else grown.push(beside === undefined ? own : { ...own, backend: beside.backend });
  }
  return grown;
}

const leadsTo = ({ target }: Rule): string | undefined => (target.kind === "jump" ? target.chain : undefined);

/** kube-proxy puts its jumps first (EnsureRule() with Prepend); kubelet's chains are its own affair where they are there. */
function withTable(table: IptablesTable, made: IptablesTable): IptablesTable {
  const known = new Set(table.chains.map((c) => c.name));
  const own = made.chains.filter((c) => c.policy === undefined && !isKubeletChain(c.name));
  const needed = new Set(own.flatMap((c) => c.rules.map(leadsTo)));
  const isKubelets = (name: string): boolean => isKubeletChain(name) && (known.has(name) || !needed.has(name));
  const jumpsOf = (chain: Chain): readonly Rule[] =>
    made.chains.find((c) => c.name === chain.name)?.rules.filter((r) => !isKubelets(leadsTo(r) ?? "")) ?? [];
  const added = made.chains.filter((c) => !known.has(c.name) && !isKubelets(c.name));
  const grown = table.chains.map((c) => (c.policy === undefined ? c : { ...c, rules: [...jumpsOf(c), ...c.rules] }));
  return { ...table, chains: [...grown, ...added] };
}

/** A table without kube-proxy's chains and the rules that lead there; kubelet's own stay. */
function cleared(table: IptablesTable, written: readonly IptablesTable[]): IptablesTable {
  const named = new Set(
    written
      .filter((t) => t.name === table.name)
      .flatMap((t) => t.chains.filter((c) => c.policy === undefined).map((c) => c.name)),
  );
  const isOwn = (name: string): boolean => !isKubeletChain(name) && (named.has(name) || isServiceChain(name));
  const chains = table.chains
    .filter((c) => !isOwn(c.name))
    .map((c) => ({ ...c, rules: c.rules.filter((r) => !(r.target.kind === "jump" && isOwn(r.target.chain))) }));
  return { ...table, chains };
}

const withoutDummy = (node: Stack): Stack => ({
  ...node,
  devices: { ...node.devices, items: node.devices.items.filter((d) => d.name !== KUBE_IPVS0) },
  routeTables: node.routeTables.map((t) => ({
    ...t,
    routes: t.routes.filter((r) => !r.nexthops.some((hop) => hop.device === KUBE_IPVS0)),
  })),
});

/** kube-ipvs0 with its addresses, which the kernel puts into the local table. */
function withDummy(node: Stack, dummy: Device): Stack {
  const routes = routesOf(dummy);
  return {
    ...node,
    devices: { ...node.devices, items: [...node.devices.items, dummy] },
    routeTables: node.routeTables.map((t) =>
      t.id === TABLE_LOCAL ? { ...t, routes: [...t.routes, ...routes.filter((r) => r.family === t.family)] } : t,
    ),
  };
}
