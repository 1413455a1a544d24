import { type Text, text } from "../../messages/index.ts";
import {
  assumed,
  type Chain,
  FLANNEL_CHAIN,
  type IptablesTable,
  isFlannelVxlan,
  type KubernetesObjects,
  type MaskedAddress,
  type Match,
  type Negatable,
  type Rule,
  type Stack,
  TABLE_MAIN,
  type Target,
} from "../../model/index.ts";
import {
  containsPrefix,
  formatPrefix,
  isIpv4,
  maskFor,
  networkOf,
  type Prefix,
  parsePrefix,
  samePrefix,
} from "../../net/index.ts";
import type { Dump } from "../../parse/index.ts";
import { isObjectOf } from "../kube-proxy/undumped.ts";
import type { Ledger } from "../ledger.ts";
import { showsAllTables } from "./not-shown.ts";

const RULE = "flannel masquerades unless it is told not to";
const origin = assumed(RULE);

/**
 * A node with flannel's device whose nat table nobody showed: flanneld runs with --ip-masq in every manifest that installs it (its own, k3s,
 * Talos), and writes these rules (masqRules(), pkg/trafficmngr/iptables). That the table is not shown goes on being told.
 */
export function withFlannelMasquerade(
  stack: Stack,
  dumps: readonly Dump[],
  kubernetes: KubernetesObjects,
  ledger: Ledger,
): Stack {
  const device = stack.devices.items.find((d) => isFlannelVxlan(d.name));
  if (stack.kind !== "node" || device === undefined || showsNat(stack) || dumps.some((d) => showsAllTables(d)))
    return stack;
  const files = kubernetes.flannelSubnets.filter((s) => s.node === undefined || s.node === stack.name);
  const id = `${stack.name}/flannel/masquerade`;
  if (files.some((f) => f.ipMasq === false) || ledger.settled(id) === "off") return stack;
  const own = distinct([
    ...files.flatMap((f) => f.subnets),
    ...kubernetes.nodes.filter((n) => isObjectOf(stack, n)).flatMap((n) => n.podCidrs.map(parsePrefix)),
  ]);
  if (own.length === 0) return stack;
  const networks = distinct([
    ...kubernetes.flannelNetworks.flatMap((n) => n.networks),
    ...files.flatMap((f) => f.networks),
    ...own,
    ...kubernetes.nodes.flatMap((n) => n.podCidrs.map(parsePrefix)),
    ...routed(stack, device.name),
  ]);
  ledger.assume(id, "on", words(stack.name, own, networks));
  const tables = stack.netfilter.tables.filter((t) => t.name !== "nat" || t.family !== 4);
  const made = stack.netfilter.tables.find((t) => t.name === "nat" && t.family === 4);
  return { ...stack, netfilter: { ...stack.netfilter, tables: [...tables, grown(made, own, networks)] } };
}

const words = (stack: string, own: readonly Prefix[], networks: readonly Prefix[]): Text =>
  text("assume.flannel-masquerade", { stack, pods: listed(own), networks: listed(networks) });

const listed = (prefixes: readonly Prefix[]): string => prefixes.map(formatPrefix).join(", ");

const showsNat = ({ netfilter: { tables, nft } }: Stack): boolean =>
  tables.some((t) => t.name === "nat" && t.family === 4 && t.origin.kind !== "assumed") ||
  nft?.some((t) => t.origin.kind !== "assumed") === true;

const routed = ({ routeTables }: Stack, device: string): readonly Prefix[] =>
  routeTables
    .filter((t) => t.id === TABLE_MAIN)
    .flatMap((t) => t.routes)
    .filter((r) => r.destination.length > 0 && r.nexthops.some((n) => n.device === device))
    .map((r) => r.destination);

/** IPv4 networks, without those that another one holds. */
function distinct(prefixes: readonly (Prefix | undefined)[]): readonly Prefix[] {
  const known = prefixes.filter((p) => p !== undefined && isIpv4(p.address)).map((p) => networkOf(p!));
  return known.filter((p, at) => !known.some((other, i) => (samePrefix(other, p) ? i < at : containsPrefix(other, p))));
}

const of = ({ address, length }: Prefix, negated = false): Negatable<MaskedAddress> => ({
  negated,
  value: { address, mask: maskFor(address, length) },
});
const COMMENT: Match = { kind: "comment", text: "flanneld masq" };
const rule = (target: Target, where: Pick<Rule, "source" | "destination">, ...matches: readonly Match[]): Rule => ({
  ...where,
  matches: [...matches, COMMENT],
  target,
  origin,
});
const RETURN: Target = { kind: "return" };
const MASQUERADE: Target = { kind: "masquerade", random: false, randomFully: true };
/** What kube-proxy masquerades itself. */
const MARKED: Match = { kind: "mark", value: 0x4000, mask: 0x4000, negated: false };
const MULTICAST = parsePrefix("224.0.0.0/4")!;

function grown(made: IptablesTable | undefined, own: readonly Prefix[], networks: readonly Prefix[]): IptablesTable {
  const table = made ?? { name: "nat", family: 4, backend: "unknown", chains: [], extent: "partial", origin };
  const rules = [
    rule(RETURN, {}, MARKED),
    ...own.flatMap((source) => networks.map((to) => rule(RETURN, { source: of(source), destination: of(to) }))),
    ...own.map((to) => rule(RETURN, { destination: of(to) })),
    ...networks.map((source) => rule(MASQUERADE, { source: of(source), destination: of(MULTICAST, true) })),
    ...networks.map((to) => rule(MASQUERADE, { destination: of(to) })),
  ];
  const chain = (name: string, own: readonly Rule[]): Chain => ({ name, rules: own, extent: "partial", origin });
  const leads = rule({ kind: "jump", chain: FLANNEL_CHAIN, goto: false }, {});
  const known = table.chains.find((c) => c.name === "POSTROUTING");
  const postrouting: Chain =
    known === undefined
      ? { ...chain("POSTROUTING", [leads]), policy: "ACCEPT" }
      : { ...known, rules: [...known.rules, leads] };
  return { ...table, chains: [...table.chains.filter((c) => c !== known), postrouting, chain(FLANNEL_CHAIN, rules)] };
}
