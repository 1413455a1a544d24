import { type ProxyMode, programme } from "../kubernetes/index.ts";
import { type Text, text } from "../messages/index.ts";
import {
  type IptablesTable,
  isKubeletChain,
  isKubeProxyTable,
  isServiceChain,
  KUBE_IPVS0,
  type Netfilter,
  type Stack,
  type World,
} from "../model/index.ts";
import { isProxySet } from "../model/owners/index.ts";
import { inputFor, modeOf } from "./patch/service/settings.ts";

/**
 * The World once kube-proxy runs in nftables mode on every dumped node: what it wrote in its mode of before is gone, as it clears it
 * away when it starts, and its table stands behind what others registered. All else is as it is. A text says why not.
 */
export function inNftablesMode(world: World): World | Text {
  if (world.kubernetes.services.length === 0) return text("error.no-services-shown");
  const moved = new Map<Stack, Stack>();
  for (const node of world.stacks) {
    if (node.kind !== "node" || node.assumed !== undefined) continue;
    const mode = modeOf(node);
    const after = mode === undefined ? undefined : movedNode(node, world, mode);
    if (after !== undefined) moved.set(node, after);
  }
  if (moved.size === 0) return text("error.no-node-to-move");
  return { ...world, stacks: world.stacks.map((s) => moved.get(s) ?? s) };
}

function movedNode(node: Stack, { kubernetes }: World, mode: ProxyMode): Stack | undefined {
  const input = inputFor(node, kubernetes, mode);
  if (input === undefined) return undefined;
  const { services } = kubernetes;
  const before = programme({ ...input, services });
  const after = programme({ ...input, config: { ...input.config, mode: "nftables" }, services });
  if (before.kind !== "programmed" || after.kind !== "programmed") return undefined;
  const written = before.families.flatMap((f) => f.tables);
  const nft = [
    ...(node.netfilter.nft ?? []).filter((t) => !isKubeProxyTable(t.name)),
    ...after.families.flatMap((f) => f.nft ?? []),
  ];
  const netfilter: Netfilter = {
    ...node.netfilter,
    tables: node.netfilter.tables.map((t) => cleared(t, written)),
    nft,
    nativeRegistered: "last",
  };
  return withoutDummy({
    ...node,
    netfilter,
    ipvs: { ...node.ipvs, services: [], connections: [] },
    ipsets: { ...node.ipsets, items: node.ipsets.items.filter((s) => !isProxySet(s.name)) },
  });
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
