import type { Programmed } from "../../../kubernetes/index.ts";
import {
  type Chain,
  chainNamed,
  type IpSet,
  type IptablesTable,
  isAboutService,
  isKubeName,
  isServiceChain,
  PROXY_CHAIN,
  type Rule,
  type VirtualService,
  withChains,
} from "../../../model/index.ts";
import { formatEntry } from "../../../parse/ipset/entry.ts";
import { ruleKey } from "../../../parse/iptables/rule/equal.ts";
import { serviceId } from "../../../parse/ipvs/index.ts";

/** What kube-proxy wrote of one Service before, what it writes of it now, and what it writes without it. */
export interface Swap {
  /** `ns/name` */
  readonly service: string;
  readonly before: Programmed;
  readonly after: Programmed;
  readonly without: Programmed;
}

/** Virtual services of the Service in place of those it had. */
export function swapServices(services: readonly VirtualService[], { before, after }: Swap): readonly VirtualService[] {
  const old = new Set(before.virtualServers.map((s) => serviceId(s.key)));
  const now = new Map(after.virtualServers.map((s) => [serviceId(s.key), s]));
  const kept = services.flatMap((s): VirtualService[] => {
    const id = serviceId(s.key);
    const replaced = now.get(id);
    now.delete(id);
    return replaced !== undefined ? [replaced] : old.has(id) ? [] : [s];
  });
  return [...kept, ...now.values()];
}

/** Members of kube-proxy's sets likewise; sets that nobody showed stay unknown. */
export function swapSets(sets: readonly IpSet[], { before, after }: Swap): readonly IpSet[] {
  const entriesOf = (of: Programmed, name: string) => of.sets.find((s) => s.name === name)?.entries ?? [];
  return sets.map((set) => {
    const old = new Set(entriesOf(before, set.name).map(formatEntry));
    const now = entriesOf(after, set.name);
    const shown = new Set(now.map(formatEntry));
    if (old.size === 0 && now.length === 0) return set;
    const rest = set.entries.filter((e) => !old.has(formatEntry(e)) && !shown.has(formatEntry(e)));
    return { ...set, entries: [...rest, ...now] };
  });
}

/** Chains and rules of the Service in place of those it had; a string names a chain that should be there and is not. */
export function swapTable(table: IptablesTable, swap: Swap): IptablesTable | string {
  const of = (p: Programmed): readonly Chain[] =>
    p.tables.find((t) => t.name === table.name && t.family === table.family)?.chains ?? [];
  const owned = new Set(
    [...of(swap.before), ...of(swap.after)].map((c) => c.name).filter((name) => isServiceChain(name)),
  );
  const isOwn = (rule: Rule): boolean =>
    (rule.target.kind === "jump" && owned.has(rule.target.chain)) || isAboutService(rule, swap.service);
  const frame = new Map(of(swap.without).map((c) => [c.name, new Set(c.rules.map((r) => ruleKey(r, table.family)))]));
  const added = new Map(
    of(swap.after)
      .filter((c) => !isServiceChain(c.name))
      .map((c) => [c.name, c.rules.filter((r) => frame.get(c.name)?.has(ruleKey(r, table.family)) !== true)] as const)
      .filter(([, rules]) => rules.length > 0),
  );
  const missing = [...added.keys()].find((name) => !isKubeName(name) || chainNamed(table, name) === undefined);
  if (missing !== undefined && table.extent === "whole") return missing;
  const change = (c: Chain): Chain => {
    if (!isKubeName(c.name)) return c;
    const now = added.get(c.name) ?? [];
    const first = c.rules.findIndex(isOwn);
    if (first < 0 && now.length === 0) return c;
    const rest = c.rules.filter((r) => !isOwn(r));
    // The chain of Services ends with the jump to the node ports.
    const last = rest.findIndex((r) => r.target.kind === "jump" && r.target.chain === PROXY_CHAIN["node-ports"]);
    const at = first >= 0 ? first : last >= 0 ? last : rest.length;
    return { ...c, rules: [...rest.slice(0, at), ...now, ...rest.slice(at)] };
  };
  return withChains(table, {
    change,
    grown: [...added.keys()],
    removed: owned,
    added: of(swap.after).filter((c) => isServiceChain(c.name)),
  });
}
