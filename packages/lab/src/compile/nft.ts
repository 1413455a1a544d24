import type { NftChain, NftRule, NftStatement, NftTable } from "@hairpin/core/model/index.ts";
import { type Input, nftScript } from "@hairpin/core/model/word.ts";
import { printRuleset } from "@hairpin/core/parse/nft/index.ts";
import { nativePrefix } from "../decode/nflog.ts";
import type { LabStack, ObserveOptions } from "../plan.ts";
import { hasObservers, OBSERVER_GROUP } from "./netfilter.ts";
import { attempt, type Refusal, Unspeakable } from "./refusal.ts";

/** One `nft -f -`: the native tables of a stack, printed from the model; undefined where there is none. */
export function nftLoad(stack: LabStack, observe: ObserveOptions, refused: Refusal[]): Input | undefined {
  const texts: Input[] = [];
  const observed = hasObservers(stack.name, observe);
  for (const table of stack.nft) {
    const what = `nftables table ${table.family} ${table.name}`;
    attempt(refused, { stack: stack.name, what, origin: table.origin }, () => {
      texts.push(nftScript(printRuleset([loadable(table, observed)])));
    });
  }
  return texts.length === 0 ? undefined : (texts.join("") as Input);
}

/** Without comments, and with an observer at the head of each base chain that an IP packet passes. */
const loadable = ({ comment: _, ...table }: NftTable, observed: boolean): NftTable => ({
  ...table,
  chains: table.chains.map(({ comment: __, ...chain }) => {
    const observer = observed ? observerOf(table, chain) : [];
    return { ...chain, rules: [...observer, ...chain.rules.map(withoutComment)] };
  }),
  sets: table.sets.map(({ comment: __, ...set }) => set),
});

function withoutComment({ comment: _, ...rule }: NftRule): NftRule {
  const odd = rule.statements.find((s) => !isSpeakable(s));
  if (odd !== undefined) throw new Unspeakable(`a statement that is not understood: ${odd.kind}`);
  return rule;
}

const isSpeakable = (s: NftStatement): boolean =>
  s.kind !== "not understood" && s.kind !== "xt" && (s.kind !== "chain" || s.rules.every((r) => r.every(isSpeakable)));

const IP_HOOKS: ReadonlySet<string> = new Set(["prerouting", "input", "forward", "output", "postrouting"]);

/** `log group` asks for no conntrack and ends nothing, so a packet's way is the same with and without it. */
function observerOf(
  { family, name, origin }: Pick<NftTable, "family" | "name" | "origin">,
  { base, name: chain }: NftChain,
): readonly NftRule[] {
  const ip = family === "ip" || family === "ip6" || family === "inet";
  if (base === undefined || !ip || !IP_HOOKS.has(base.hook)) return [];
  const prefix = nativePrefix(`${family} ${name}`, chain, base);
  return [{ statements: [{ kind: "log", prefix, group: OBSERVER_GROUP, rest: [] }], origin }];
}
