import { type Chain, type IptablesTable, isKubeName, KUBELET_CHAIN, type Rule } from "../../model/index.ts";
import type { TableDifference } from "./iptables.ts";

const CHAINS: readonly string[] = Object.values(KUBELET_CHAIN);

const leadsTo = (rule: Rule, chain: string): boolean => rule.target.kind === "jump" && rule.target.chain === chain;
const chainOf = (table: IptablesTable, name: string): Chain | undefined => table.chains.find((c) => c.name === name);

/**
 * kubelet's part, which depends on its own release and settings (`--make-iptables-util-chains`): whether it is there is not kube-proxy's
 * to say. `made` gives what kube-proxy writes by itself: a chain of kubelet's that it fills too, or that its rules lead to, is needed. So are
 * the jumps to a chain that has rules, and the rule that drops what is marked for it.
 */
export function isKubelets({ element, actual }: TableDifference, made: () => IptablesTable | undefined): boolean {
  const { a, b, chains } = element.sides!;
  const theirs = CHAINS.find((name) => chains.includes(name));
  if (theirs !== undefined) {
    const own = made();
    const ownRules = own === undefined ? 0 : (chainOf(own, theirs)?.rules.length ?? 0);
    if (ownRules > 0 || (theirs === KUBELET_CHAIN["mark-drop"] && leadsThere(own, theirs))) return false;
    const marked = a.some((r) => r.matches.some((m) => m.kind === "mark"));
    const reached = actual.chains.some(
      (c) => c.policy !== undefined && c.rules.some((r) => leadsTo(r, KUBELET_CHAIN.firewall)),
    );
    return !(marked && reached);
  }
  const target = CHAINS.find((name) => [...a, ...b].every((r) => leadsTo(r, name)));
  if (target === undefined || chains.some(isKubeName)) return false;
  const filled = (chainOf(actual, target)?.rules.length ?? 0) > 0;
  return !leadsThere(made(), target) && !(filled && a.length > 0);
}

const leadsThere = (own: IptablesTable | undefined, name: string): boolean =>
  own?.chains.some((c) => c.rules.some((r) => leadsTo(r, name))) === true;
