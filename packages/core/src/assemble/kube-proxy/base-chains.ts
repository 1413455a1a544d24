import { text } from "../../messages/index.ts";
import { assumed, type Chain, type IptablesTable, type Match, type Rule, type Target } from "../../model/index.ts";
import type { Ledger } from "../ledger.ts";

const origin = assumed("kube-proxy's own chains, which every node has alike");
const MASQUERADE_MARK = 0x4000;

const rule = (target: Target, ...matches: readonly Match[]): Rule => ({ matches, target, origin });
const jump = (chain: string): Rule => rule({ kind: "jump", chain, goto: false });
const setMark = (value: number, mask: number): Rule => rule({ kind: "mark", value, mask });

/** What kube-proxy puts into nat whatever the Services are (BASE CHAINS of its iptables and ipvs modes). */
const MARK_MASQ: readonly Rule[] = [setMark(MASQUERADE_MARK, MASQUERADE_MARK)];
const POSTROUTING: readonly Rule[] = [
  rule({ kind: "return" }, { kind: "mark", value: MASQUERADE_MARK, mask: MASQUERADE_MARK, negated: true }),
  setMark(MASQUERADE_MARK, 0),
  rule({ kind: "masquerade", random: false, randomFully: true }),
];
const JUMPS: readonly (readonly [from: string, to: string])[] = [
  ["PREROUTING", "KUBE-SERVICES"],
  ["OUTPUT", "KUBE-SERVICES"],
  ["POSTROUTING", "KUBE-POSTROUTING"],
];

/**
 * An excerpt of nat often lacks what leads to it: the jumps from the built-in chains, the chain that marks, the one that
 * masquerades. Where the table was not shown whole and holds chains of kube-proxy, these are filled in as kube-proxy writes
 * them with its default mark, and listed.
 */
export function withBaseChains(
  tables: readonly IptablesTable[],
  stack: string,
  ledger: Ledger,
): readonly IptablesTable[] {
  return tables.map((table) => {
    if (table.name !== "nat" || table.family !== 4 || table.extent === "whole") return table;
    if (!table.chains.some((c) => c.name === "KUBE-SERVICES")) return table;
    const added: string[] = [];
    let chains = table.chains;
    const fill = (name: string, rules: readonly Rule[]): void => {
      const known = chains.find((c) => c.name === name);
      if (known !== undefined) return;
      chains = [...chains, { name, rules, extent: "partial", origin }];
      added.push(name);
    };
    fill("KUBE-MARK-MASQ", MARK_MASQ);
    fill("KUBE-POSTROUTING", POSTROUTING);
    for (const [from, to] of JUMPS) {
      const known = chains.find((c) => c.name === from);
      if (known?.extent === "whole" || known?.rules.some((r) => r.target.kind === "jump" && r.target.chain === to))
        continue;
      const grown: Chain =
        known === undefined
          ? { name: from, policy: "ACCEPT", rules: [jump(to)], extent: "partial", origin }
          : { ...known, rules: [jump(to), ...known.rules] };
      chains = known === undefined ? [...chains, grown] : chains.map((c) => (c === known ? grown : c));
      added.push(`${from} -> ${to}`);
    }
    if (added.length === 0) return table;
    ledger.assume(
      `${stack}/kube-proxy/nat`,
      added.join(", "),
      text("assume.base-chains", { stack, chains: added.join(", ") }),
    );
    return { ...table, chains };
  });
}
