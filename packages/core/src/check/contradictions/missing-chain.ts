import { type Text, text, verbatim } from "../../messages/index.ts";
import type { IptablesTable } from "../../model/index.ts";
import { tablesOf } from "../view.ts";
import type { Check, Claimed } from "./contradict.ts";

const named = ({ family, name }: IptablesTable) => ({
  program: family === 6 ? "ip6tables" : "iptables",
  table: name,
});

/** iptables refuses a jump to a chain that does not exist, so a whole table without it is no table that was loaded. */
export const missingChains: Check = (view) =>
  tablesOf(view).flatMap((table) => {
    if (table.extent !== "whole") return [];
    const chains = new Set(table.chains.map((c) => c.name));
    return table.chains.flatMap((chain) =>
      chain.rules.flatMap((rule): Claimed[] =>
        rule.target.kind === "jump" && !chains.has(rule.target.chain)
          ? [
              {
                code: "CHAIN_NOT_THERE",
                text: text("contradiction.no-chain", {
                  chain: chain.name,
                  target: rule.target.chain,
                  ...named(table),
                }),
                origins: [rule.origin],
              },
            ]
          : [],
      ),
    );
  });

/** The kernel refuses tables whose chains lead back to themselves (mark_source_chains, nf_tables_check_loops). */
export const chainLoops: Check = (view) => tablesOf(view).flatMap(loopsIn);

function loopsIn(table: IptablesTable): readonly Claimed[] {
  const jumps = new Map(
    table.chains.map((chain) => [
      chain.name,
      chain.rules.flatMap((rule) => (rule.target.kind === "jump" ? [{ to: rule.target.chain, rule }] : [])),
    ]),
  );
  const state = new Map<string, "open" | "done">();
  const found: Claimed[] = [];
  for (const start of jumps.keys()) {
    if (state.has(start)) continue;
    const path: { readonly chain: string; next: number }[] = [{ chain: start, next: 0 }];
    state.set(start, "open");
    while (path.length > 0) {
      const top = path[path.length - 1]!;
      const jump = jumps.get(top.chain)?.[top.next++];
      if (jump === undefined) {
        state.set(top.chain, "done");
        path.pop();
      } else if (state.get(jump.to) === "open") {
        const from = path.findIndex((p) => p.chain === jump.to);
        const ring = path.slice(from).map((p) => p.chain);
        const closing = path.slice(from).map((p) => jumps.get(p.chain)![p.next - 1]!.rule.origin);
        found.push({
          code: "CHAIN_LOOP",
          text: text("contradiction.chain-loop", { ...named(table), ring: ringText([...ring, jump.to]) }),
          origins: closing,
        });
      } else if (!state.has(jump.to)) {
        state.set(jump.to, "open");
        path.push({ chain: jump.to, next: 0 });
      }
    }
  }
  return found;
}

/** `A jumps to B jumps to A`. */
const ringText = (chains: readonly string[]): Text =>
  chains.slice(1).reduce<Text>((from, to) => text("contradiction.jump", { from, to }), verbatim(chains[0] ?? ""));
