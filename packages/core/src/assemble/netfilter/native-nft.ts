import type {
  Device,
  IptablesTable,
  Netfilter,
  NftChain,
  NftExpression,
  NftStatement,
  NftTable,
  UnreadDrop,
} from "../../model/index.ts";
import type { NamedNftTable } from "../../parse/index.ts";
import { printNftRule } from "../../parse/nft/index.ts";
import type { Dumped } from "../dumped.ts";
import { mergeNftTables } from "./merge-nft.ts";

/** `table ip nat` and the like are what iptables-nft keeps its own tables in. */
const ofIptables = (table: { readonly family: string; readonly name: string }): boolean =>
  (table.family === "ip" || table.family === "ip6") && /^(?:raw|mangle|nat|filter|security)$/.test(table.name);

const BUILT_IN = /^(?:PREROUTING|INPUT|FORWARD|OUTPUT|POSTROUTING)$/;

/**
 * nft's print of what iptables-nft wrote is not what it holds: `! --ctstate RELATED,ESTABLISHED,DNAT` comes out as `ct status dnat`, without
 * the negation and the other states. iptables has no status of that name, so that each such match is of that kind, and open.
 */
function withLosses(table: NftTable): NftTable {
  if (!ofIptables(table) || !table.chains.some((c) => c.base !== undefined && BUILT_IN.test(c.name))) return table;
  const kept = (s: NftStatement): NftStatement =>
    s.kind === "match" && s.left.kind === "ct" && s.left.key === "status" && isTranslation(s.right)
      ? { kind: "xt", what: "match", name: "conntrack" }
      : s;
  return {
    ...table,
    chains: table.chains.map((c) => ({
      ...c,
      rules: c.rules.map((r) => ({ ...r, statements: r.statements.map(kept) })),
    })),
  };
}

const isTranslation = (right: unknown): boolean => /"(?:dnat|snat)"/.test(JSON.stringify(right));

/** Statements that only IP packets pass: what stands behind them never meets ARP. */
const isOfIp = (s: NftStatement): boolean =>
  s.kind === "match" &&
  ((s.left.kind === "payload" && !["ether", "vlan", "arp"].includes(s.left.protocol)) ||
    (s.left.kind === "payload" && s.left.field === "type" && s.left.protocol === "ether" && isIpType(s.right)) ||
    (s.left.kind === "meta" && ["l4proto", "nfproto", "protocol"].includes(s.left.key) && s.op === "in"));

/** `ether type ip`: ARP has another. */
const isIpType = (right: NftExpression): boolean =>
  (right.kind === "symbol" && /^ip6?$/.test(right.text)) ||
  (right.kind === "number" && (right.value === 0x0800 || right.value === 0x86dd));

const drops = (s: NftStatement): boolean =>
  s.kind === "reject" || (s.kind === "verdict" && s.verdict.kind !== "accept" && s.verdict.kind !== "continue");

/** A chain below IP that may take more than IP packets. */
const takesOthers = ({ base, rules }: NftChain): boolean =>
  base?.policy === "drop" ||
  rules.some((r) => {
    const ends = r.statements.findIndex((s) => drops(s) || s.kind === "vmap" || s.kind === "not understood");
    return ends >= 0 && !r.statements.slice(0, ends).some(isOfIp);
  });

/** What the bridge's family has of its own: answers that it makes itself, and connections (nf_conntrack_bridge). */
const isOfBridge = (s: NftStatement): boolean =>
  s.kind === "reject" || (s.kind === "match" && s.left.kind === "ct") || (s.kind === "vmap" && s.key.kind === "ct");

/**
 * Hooks that are not walked: chains of the bridge, or at a device below another one, that may take ARP. At a device of its own an ARP packet is
 * walked through them; which ports of a bridge it comes by is not known there.
 */
const notWalked = (table: NftTable, isPort: (device: string) => boolean): boolean =>
  table.chains.some((chain) => {
    const { base, rules } = chain;
    if (chain.unread === true) return true;
    if (base === undefined || (rules.length === 0 && base.policy === "accept")) return false;
    if (table.family === "arp") return false;
    if (table.family === "bridge") return takesOthers(chain) || rules.some((r) => r.statements.some(isOfBridge));
    return (base.hook === "ingress" || base.hook === "egress") && base.devices.some(isPort) && takesOthers(chain);
  });

/** A chain pasted without the table around it: where it hangs is not known. */
const isExcerpt = (table: NftTable): boolean =>
  table.name === "?" ||
  (table.extent !== "whole" && table.chains.every((c) => c.base === undefined && c.rules.length > 0));

/** Rules that drop, and how often they did, where they count. */
const dropsIn = (table: NftTable): readonly UnreadDrop[] =>
  table.chains.flatMap((chain) =>
    chain.rules.flatMap((rule) => {
      const counter = rule.statements.find((s) => s.kind === "counter");
      return rule.statements.some(drops) && counter?.packets !== undefined
        ? [{ chain: chain.name, rule: printNftRule(rule), packets: counter.packets, origin: rule.origin }]
        : [];
    }),
  );

/**
 * Whether the ruleset was shown only in part: no listing of it is whole, nor are those of the tables that `nft list tables` names; or it
 * names one that nobody showed.
 */
function cutOf(
  observed: readonly Dumped<"nft">[],
  tables: readonly NftTable[],
  named: readonly Dumped<"nft-tables">[],
  isOfIptables: (table: NftTable | NamedNftTable) => boolean,
): Netfilter["nftCut"] {
  const wholly = new Set(tables.flatMap((t) => (t.extent === "whole" ? [nameOf(t)] : [])));
  const shown = new Set(tables.map(nameOf));
  const natives = named.flatMap(({ fact }) => fact.tables).filter((t) => !isOfIptables(t));
  if (natives.some((t) => !shown.has(nameOf(t)))) return "part";
  if (observed.length === 0 || observed.some(({ fact }) => fact.extent === "whole")) return undefined;
  if (named.some(({ fact }) => fact.extent === "whole") && natives.every((t) => wholly.has(nameOf(t))))
    return undefined;
  return observed.some(({ fact }) => fact.cut === true) ? "cut" : "part";
}

const nameOf = ({ family, name }: NftTable | NamedNftTable): string => `${family} ${name}`;

const targetsOf = (table: NftTable): ReadonlySet<string> => {
  const found = new Set<string>();
  const from = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { kind, chain } = value as { readonly kind?: unknown; readonly chain?: unknown };
    if ((kind === "jump" || kind === "goto") && typeof chain === "string") found.add(chain);
    for (const inner of Object.values(value)) from(inner);
  };
  for (const { rules } of table.chains) for (const { statements } of rules) from(statements);
  for (const { elements } of table.sets) for (const { data } of elements) from(data);
  return found;
};

/**
 * A terse listing (`nft -t`) that does not say so: chains that nothing leads to, while a map of verdicts shows no element. What its
 * sets hold is not known then, unless they show some.
 */
function withoutElements(tables: readonly NftTable[]): readonly NftTable[] {
  const shows = tables.some((t) => t.sets.some((s) => s.elements.length > 0));
  const led = (t: NftTable): boolean => {
    if (!t.sets.some((s) => s.data?.some((d) => d.name === "verdict"))) return true;
    const targets = targetsOf(t);
    return t.chains.every((chain) => chain.base !== undefined || targets.has(chain.name));
  };
  if (shows || tables.every(led)) return tables;
  return tables.map((t) => ({ ...t, sets: t.sets.map((s) => ({ ...s, elementsKnown: false })) }));
}

/** Chains and programs that the kernel runs at its hooks and that no listing shows. */
function unshown(hooks: readonly Dumped<"nft-hooks">[], tables: readonly NftTable[]): Netfilter["nativeNft"] {
  const found = new Map<string, Netfilter["nativeNft"][number]>();
  for (const { fact } of hooks)
    for (const { object, function: run, origin } of fact.hooks) {
      const bpf = run !== undefined && /bpf/.test(run) ? run : undefined;
      if (object?.kind !== "chain" && bpf === undefined) continue;
      const known = tables.some(
        (t) => t.family === object?.family && t.name === object.table && t.chains.some((c) => c.name === object.name),
      );
      const name = object === undefined ? bpf! : `${object.family} ${object.table}`;
      const below =
        object?.family === "bridge" || object?.family === "arp" ? { below: object.family as "bridge" | "arp" } : {};
      if (!known && !(object?.kind === "chain" && ofIptables({ family: object.family, name: object.table })))
        found.set(name, { name, ...below, origin });
    }
  return [...found.values()];
}

/**
 * Native nftables tables, in the order of the listing. Those that iptables-nft shows as its own are known from there, and better: nft
 * cannot print all of them. One that was shown twice counts as it was shown whole, and
 * one shown in pieces is put together.
 */
export function nativeNft(
  observed: readonly Dumped<"nft">[],
  tables: readonly IptablesTable[],
  hooks: readonly Dumped<"nft-hooks">[] = [],
  named: readonly Dumped<"nft-tables">[] = [],
  devices: readonly Device[] = [],
): Pick<Netfilter, "nft" | "nftCut" | "nativeNft" | "registered"> {
  // A device that nobody showed may be one, and so may those that a star stands for.
  const isPort = (name: string): boolean => {
    const found = devices.find((d) => d.name === name);
    return found === undefined || found.master !== undefined;
  };
  const alsoShown = (table: NftTable | NamedNftTable): boolean =>
    ofIptables(table) &&
    tables.some((t) => t.backend !== "legacy" && t.name === table.name && t.family === (table.family === "ip" ? 4 : 6));
  const shown = observed.flatMap(({ fact }) => fact.tables).filter((t) => !alsoShown(t));
  const all = withoutElements(mergeNftTables(shown).map(withLosses));
  const cut = cutOf(observed, all, named, alsoShown);
  return {
    ...(all.length > 0 && { nft: all }),
    ...(cut !== undefined && { nftCut: cut }),
    ...(hooks.length > 0 && { registered: hooks.flatMap(({ fact }) => fact.hooks) }),
    nativeNft: [
      ...unshown(hooks, all),
      ...all
        .filter((t) => (notWalked(t, isPort) || isExcerpt(t)) && !t.flags.includes("dormant"))
        .map((t) => {
          const drops = dropsIn(t);
          const below = t.family === "bridge" || t.family === "arp" ? { below: t.family } : {};
          const shown = { name: `${t.family} ${t.name}`, ...below, origin: t.origin };
          return drops.length === 0 ? shown : { ...shown, drops };
        }),
    ],
  };
}
