import type { Decision, NftChain, NftRule, NftStatement, NftTable, Origin, RuleRef } from "../../model/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { memo } from "../kernel/memo.ts";
import { Undetermined } from "../kernel/oracle.ts";
import type { Skb } from "../kernel/skb.ts";
import type { HookState } from "../netfilter/nf-hooks.ts";
import { runStatement, type StatementLook, type StatementResult } from "./statement.ts";

/** What a base chain decided about a packet; `origin` and `decision` name the rule that ended it. */
export interface ChainVerdict {
  readonly kind: "accept" | "drop";
  readonly rule?: RuleRef;
  readonly origin?: Origin;
  readonly decision?: Decision;
}

interface Rules {
  readonly name: string;
  readonly rules: readonly NftRule[];
}
interface Frame {
  readonly rules: Rules;
  readonly next: number;
}

const indexes = new WeakMap<NftTable, ReadonlyMap<string, NftChain>>();
const chainsOf = (table: NftTable): ReadonlyMap<string, NftChain> =>
  memo(indexes, table, () => new Map(table.chains.map((c) => [c.name, c])));

/**
 * Walks a packet through one base chain. Follows nft_do_chain() (net/netfilter/nf_tables_core.c): a rule's statements run until
 * one does not match; accept ends this base chain only, drop is final, jump comes back behind the jump, goto does not, the end of
 * the base chain is its policy.
 */
export function nftDoChain(kernel: Kernel, table: NftTable, base: NftChain, skb: Skb, state: HookState): ChainVerdict {
  const chains = chainsOf(table);
  const shown = `${table.family} ${table.name}`;
  const frames: Frame[] = [];
  let at: Rules = base;
  let index = 0;
  for (;;) {
    const rule = at.rules[index];
    if (rule === undefined) {
      const back = frames.pop();
      if (back === undefined) return policy(kernel, shown, base, skb, state);
      at = back.rules;
      index = back.next;
      continue;
    }
    index++;
    if (!kernel.network.work.look(1 + rule.statements.length))
      throw new Undetermined(kernel.name, `${shown} ${at.name}`, { kind: "unknown-too-much-work" }, [rule.origin]);
    const id = `${shown}/${at.name}/${index}`;
    const ref: RuleRef = { stack: kernel.name, backend: "native", table: shown, chain: at.name, number: index };
    const look: StatementLook = { kernel, table, skb, state, rule: id, ref, origin: rule.origin };
    const { outcome, decision, assumed } = runRule(look, rule);
    if (outcome === undefined) continue;
    const note = (what: Decision): void => {
      if (kernel.recording)
        kernel.record(skb, {
          kind: "rule",
          ...ref,
          packet: skb.packet,
          effect: assumed ? "assumed matched" : "matched",
          origin: rule.origin,
          decision: what,
          mark: skb.mark,
        });
      else kernel.meet(skb, rule.origin);
    };
    if (outcome === "end") {
      note(decision ?? { kind: "counted" });
      continue;
    }
    if (outcome.kind === "chain") {
      note({ kind: outcome.op, chain: "{ … }" });
      if (outcome.op === "jump") frames.push({ rules: at, next: index });
      at = { name: at.name, rules: outcome.rules.map((statements) => ({ statements, origin: rule.origin })) };
      index = 0;
      continue;
    }
    const { verdict } = outcome;
    switch (verdict.kind) {
      case "continue":
        note(decision ?? { kind: "counted" });
        continue;
      case "accept": {
        const decided = outcome.decision ?? { kind: "accept" as const };
        note(decided);
        return { kind: "accept", rule: ref, origin: rule.origin, decision: decided };
      }
      case "drop": {
        const decided = outcome.decision ?? { kind: "drop" as const };
        note(decided);
        if (outcome.recorded !== true)
          kernel.drop(
            skb,
            `${shown} ${state.hook}`,
            "NETFILTER_DROP",
            { kind: "in-chain", decision: decided, rule: ref },
            [rule.origin],
          );
        return { kind: "drop", origin: rule.origin };
      }
      case "return": {
        note({ kind: "return" });
        const back = frames.pop();
        if (back === undefined) return policy(kernel, shown, base, skb, state);
        at = back.rules;
        index = back.next;
        continue;
      }
      default: {
        const { place } = outcome;
        note({ kind: verdict.kind, chain: verdict.chain, ...(place !== undefined && { place }) });
        const called = chains.get(verdict.chain);
        if (called === undefined)
          throw new Undetermined(kernel.name, `${shown} ${at.name}`, { kind: "unknown-chain", chain: verdict.chain }, [
            rule.origin,
          ]);
        // The kernel refuses loops and more than 16 chains deep; a text may hold them.
        if (frames.length > 64)
          throw new Undetermined(kernel.name, `${shown} ${at.name}`, { kind: "unknown-too-much-work" }, [rule.origin]);
        if (verdict.kind === "jump") frames.push({ rules: at, next: index });
        at = called;
        index = 0;
      }
    }
  }
}

type RuleOutcome =
  | undefined
  | "end"
  | (StatementResult & { kind: "verdict" })
  | (NftStatement & { readonly kind: "chain" });

/** Runs a rule's statements. What nobody can decide is an open fact: the rule goes on there, or it does not. */
function runRule(
  look: StatementLook,
  rule: NftRule,
): { readonly outcome: RuleOutcome; readonly decision?: Decision; readonly assumed: boolean } {
  let decision: Decision | undefined;
  let assumed = false;
  let counted: number | undefined;
  for (const s of rule.statements) {
    if (s.kind === "chain") return { outcome: s, assumed };
    const outcome = runStatement(counted === undefined ? look : { ...look, counted }, s);
    counted = s.kind === "counter" ? s.packets : outcome.kind === "next" && s.kind !== "match" ? counted : undefined;
    switch (outcome.kind) {
      case "break":
        return { outcome: undefined, assumed };
      case "open": {
        const { origin } = rule;
        const where = origin.kind === "read" ? `${origin.file}:${origin.line}` : look.rule;
        const value = look.kernel.oracle.fact({ kind: "rule", stack: look.kernel.name, at: where }, [
          "matches",
          "does not match",
        ]);
        if (value !== "matches") return { outcome: undefined, assumed };
        assumed = true;
        break;
      }
      case "verdict":
        return { outcome, ...(decision !== undefined && { decision }), assumed };
      case "next":
        decision = outcome.decision ?? decision;
    }
  }
  return { outcome: "end", ...(decision !== undefined && { decision }), assumed };
}

function policy(kernel: Kernel, shown: string, base: NftChain, skb: Skb, state: HookState): ChainVerdict {
  const { origin } = base;
  if (base.base?.policy !== "drop") return { kind: "accept", origin, decision: { kind: "policy", policy: "ACCEPT" } };
  const ref: RuleRef = { stack: kernel.name, backend: "native", table: shown, chain: base.name, number: 0 };
  if (kernel.recording)
    kernel.record(skb, {
      kind: "rule",
      ...ref,
      packet: skb.packet,
      effect: "matched",
      origin,
      decision: { kind: "policy", policy: "DROP" },
      mark: skb.mark,
    });
  else kernel.meet(skb, origin);
  kernel.drop(skb, `${shown} ${state.hook}`, "NETFILTER_DROP", { kind: "policy-of", policy: "DROP", rule: ref }, [
    origin,
  ]);
  return { kind: "drop", origin };
}
