import { text } from "../../messages/index.ts";
import {
  type IptablesTable,
  type IptablesTableName,
  isOfLegacy,
  type Netfilter,
  ownerOfChain,
  type Stack,
  someChain,
} from "../../model/index.ts";
import type { Family } from "../../net/index.ts";
import type { Dump } from "../../parse/index.ts";
import type { Ledger } from "../ledger.ts";

const NODES: readonly IptablesTableName[] = ["nat", "filter"];
const TABLES: readonly IptablesTableName[] = ["raw", "mangle", "nat", "filter"];

/** `nft list ruleset` prints what iptables-nft loaded as well. */
const showsRuleset = (dump: Dump): boolean => dump.reading.facts.some((f) => f.kind === "nft" && f.extent === "whole");

/** `iptables-save` prints every table there is: what an uncut one lacks was never loaded. */
export const showsAllTables = (dump: Dump, family: Family = 4): boolean =>
  showsRuleset(dump) || showsSaved(dump, family);

const showsSaved = (dump: Dump, family: Family): boolean =>
  dump.dialect.id === "iptables-save" &&
  dump.context.partial === undefined &&
  dump.context.iptablesTable === undefined &&
  dump.context.command?.includes("-t") !== true &&
  dump.reading.facts.some(
    (f) => f.kind === "iptables" && f.tables.some((t) => t.family === family && t.extent === "whole"),
  );

export const isKubeProxys = (t: IptablesTable): boolean => someChain(t, (c) => ownerOfChain(c.name) === "kube-proxy");

/** Whether the back end of a table has another one, too. */
const besides = ({ tables }: Netfilter, of: IptablesTable, name: IptablesTableName): boolean =>
  tables.some((t) => t.family === 4 && t.name === name && t.backend === of.backend);

/** iptables-nft warns of what the other back end holds, and `nft list hooks` shows it at its hooks: where nobody showed that, it is not known. */
export const legacyUnshown = ({ tables, registered = [] }: Netfilter, dumps: readonly Dump[]): boolean =>
  (!tables.some((t) => t.backend === "legacy") &&
    dumps.some((d) =>
      (d.reading.remarks ?? d.reading.diagnostics).some((note) => note.code === "iptables-legacy-present"),
    )) ||
  (!tables.some((t) => t.backend !== "nft") && registered.some(isOfLegacy));

/** The tables of ip6tables that nobody showed. They are asked for only where an IPv6 packet is walked. */
export function unshownTables6({ netfilter }: Stack, dumps: readonly Dump[]): readonly IptablesTableName[] {
  if (dumps.some((d) => showsAllTables(d, 6))) return [];
  const shown = new Set(netfilter.tables.filter((t) => t.family === 6).map((t) => t.name));
  return TABLES.filter((name) => !shown.has(name));
}

/** Tables nobody showed are taken to be empty with policy ACCEPT, and that is listed. */
export function assumeEmptyTables(
  { name: stack, kind, netfilter }: Stack,
  dumps: readonly Dump[],
  ledger: Ledger,
  /** kube-proxy was seen on some node, and so runs on all. */
  kubeProxy: boolean,
): readonly IptablesTableName[] {
  const shown = new Set(netfilter.tables.filter((t) => t.family === 4).map((t) => t.name));
  if (dumps.some((d) => showsAllTables(d))) {
    // kubelet, kube-proxy and network plugins write to both: where one of them did to one table, the other was left out.
    const programmed = kubeProxy || netfilter.tables.some((t) => someChain(t, (c) => c.policy === undefined));
    if (kind !== "node" || !programmed || netfilter.nativeNft.length > 0) return [];
    return NODES.filter((name) => {
      const other = netfilter.tables.filter((t) => t.family === 4 && t.name !== name && NODES.includes(t.name));
      return shown.has(name) ? other.some((t) => isKubeProxys(t) && !besides(netfilter, t, name)) : other.length > 0;
    });
  }
  if (shown.size === 0) {
    ledger.assume(`${stack}/iptables`, "empty", text("assume.no-rules", { stack }));
    return TABLES;
  }
  const unshown = TABLES.filter((name) => !shown.has(name));
  for (const name of unshown) {
    ledger.assume(`${stack}/iptables/${name}`, "empty", text("assume.table-empty", { table: name, stack }));
  }
  return unshown;
}
