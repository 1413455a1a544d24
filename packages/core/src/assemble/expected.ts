import { type KubernetesVersion, type Programmed, programme, proxyConfigOf } from "../kubernetes/index.ts";
import { type Text, text } from "../messages/index.ts";
import {
  type Chain,
  type IptablesTable,
  isKubeletChain,
  isKubeProxyTable,
  isServiceChain,
  type Rule,
  type Stack,
  type World,
} from "../model/index.ts";
import { inputFor, modeOf } from "./patch/service/settings.ts";

/**
 * The World with every dumped node as kube-proxy should have programmed it from the objects, all else as it is. What a node does
 * not show is not made up. With a release, as that one would have. A text says why nothing can be expected.
 */
export function expectedWorld(world: World, release?: KubernetesVersion): World | Text {
  if (world.kubernetes.services.length === 0) return text("error.no-services-shown");
  const nodes = world.stacks.filter((s) => s.kind === "node" && s.assumed === undefined && s.fromObjects !== true);
  const made = new Map(nodes.map((node) => [node, once(() => netfilterExpected(node, world, release))] as const));
  if (![...made.values()].some((of) => of() !== undefined)) return text("error.no-node-to-expect");
  return { ...world, stacks: world.stacks.map((s) => (made.has(s) ? expected(s, made.get(s)!) : s)) };
}

/** Whoever walks comes by few of the nodes: what the others should have is not reckoned. */
const expected = (node: Stack, netfilter: () => Stack["netfilter"] | undefined): Stack => ({
  ...node,
  get netfilter() {
    return netfilter() ?? node.netfilter;
  },
});

function netfilterExpected(
  node: Stack,
  world: World,
  release: KubernetesVersion | undefined,
): Stack["netfilter"] | undefined {
  const families = programmedFor(node, world, release);
  return families === undefined ? undefined : asProgrammed(node, families).netfilter;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function programmedFor(
  node: Stack,
  { kubernetes }: World,
  release: KubernetesVersion | undefined,
): readonly Programmed[] | undefined {
  const stated = kubernetes.kubeProxyConfigs.map(proxyConfigOf).find((c) => c.mode !== undefined)?.mode;
  const mode = (isNative(node) ? "nftables" : undefined) ?? modeOf(node) ?? stated;
  const input = mode === undefined ? undefined : inputFor(node, kubernetes, mode);
  if (input === undefined) return undefined;
  const result = programme({
    ...input,
    services: kubernetes.services,
    ...(release !== undefined && { version: release }),
  });
  // IPVS serves node ports by the addresses kube-proxy found on the node, which a dump need not show.
  // What a configuration says (the pods' network, masquerading) is told from iptables rules and not from those of nft.
  const told = kubernetes.kubeProxyConfigs.length > 0;
  const shown = mode === "iptables" || (mode === "nftables" && isNative(node) && told);
  return result.kind === "programmed" && shown ? result.families : undefined;
}

/** kube-proxy's nftables mode shows by its table. */
const isNative = ({ netfilter }: Stack): boolean => (netfilter.nft ?? []).some((t) => isKubeProxyTable(t.name));

function asProgrammed(node: Stack, families: readonly Programmed[]): Stack {
  const made = families.find((f) => f.family === 4);
  if (made === undefined) return node;
  if (made.mode === "nftables") {
    const own = families.flatMap((f) => f.nft ?? []);
    const nft = (node.netfilter.nft ?? []).map(
      (t) => own.find((m) => isKubeProxyTable(t.name) && m.family === t.family && m.name === t.name) ?? t,
    );
    return { ...node, netfilter: { ...node.netfilter, nft } };
  }
  const tables = node.netfilter.tables.map((t) => {
    const own = t.family === 4 ? made.tables.find((m) => m.name === t.name) : undefined;
    return own === undefined ? t : withTable(t, own);
  });
  return { ...node, netfilter: { ...node.netfilter, tables } };
}

/** Chains of others, and others' rules in the built-in ones, stay where they are. */
function withTable(table: IptablesTable, made: IptablesTable): IptablesTable {
  const theirs = new Set(table.chains.filter((c) => isKubeletChain(c.name)).map((c) => c.name));
  const named = new Set(made.chains.filter((c) => c.policy === undefined).map((c) => c.name));
  const isOwn = (name: string): boolean => !theirs.has(name) && (named.has(name) || isServiceChain(name));
  const leads = ({ target }: Rule): string | undefined => (target.kind === "jump" ? target.chain : undefined);
  const needed = new Set(
    made.chains.filter((c) => isOwn(c.name) && !isKubeletChain(c.name)).flatMap((c) => c.rules.map(leads)),
  );
  const wanted = (name: string | undefined): boolean =>
    name !== undefined && (!isKubeletChain(name) || theirs.has(name) || needed.has(name));
  const builtIn = (chain: Chain): Chain => {
    const own = made.chains.find((c) => c.name === chain.name)?.rules.filter((r) => wanted(leads(r))) ?? [];
    const isOurs = (r: Rule): boolean => leads(r) !== undefined && (isOwn(leads(r)!) || theirs.has(leads(r)!));
    // One that leads where an expected one leads stands in its place among the others' rules; the rest come first, as kube-proxy puts them.
    const left = [...own];
    const rules = chain.rules.flatMap((r) => {
      if (!isOurs(r)) return [r];
      const at = left.findIndex((w) => leads(w) === leads(r));
      return at < 0 ? [] : left.splice(at, 1);
    });
    return { ...chain, rules: [...left, ...rules] };
  };
  const kept = table.chains.filter((c) => !isOwn(c.name)).map((c) => (c.policy === undefined ? c : builtIn(c)));
  const added = made.chains.filter(
    (c) => c.policy === undefined && isOwn(c.name) && (!isKubeletChain(c.name) || needed.has(c.name)),
  );
  return { ...table, chains: [...kept, ...added] };
}
