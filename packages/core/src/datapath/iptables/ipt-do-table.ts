import {
  type Chain,
  type Decision,
  type Fact,
  type IptablesTable,
  type Origin,
  placeOf,
  type Rule,
  type RuleEffect,
  type RuleRef,
  ruleInPlace,
} from "../../model/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { memo } from "../kernel/memo.ts";
import { Undetermined } from "../kernel/oracle.ts";
import type { Skb } from "../kernel/skb.ts";
import type { HookState } from "../netfilter/nf-hooks.ts";
import { nextRule } from "./chain-index.ts";
import { failedCriterion, matchRule } from "./matches/index.ts";
import { runTarget } from "./targets/index.ts";

/** What a table decided about a packet; `origin` and `decision` name the rule that ended the traversal. */
export interface TableVerdict {
  readonly kind: "accept" | "drop" | "stolen";
  readonly rule?: RuleRef;
  readonly origin?: Origin;
  readonly decision?: Decision;
}

interface Frame {
  readonly chain: Chain;
  readonly next: number;
}

type ChainsByName = (name: string) => Chain | undefined;

const chainIndex = new WeakMap<IptablesTable, ChainsByName>();
const chainsOf = (table: IptablesTable): ChainsByName => memo(chainIndex, table, () => chainsByName(table));

function chainsByName(table: IptablesTable): ChainsByName {
  const { unread } = table;
  if (unread !== undefined) return (name) => unread.chainNamed(name);
  const named = new Map(table.chains.map((c) => [c.name, c]));
  return (name) => named.get(name);
}

/**
 * Walks a packet through one table at one hook. Follows ipt_do_table() (net/ipv4/netfilter/ip_tables.c): -j pushes a
 * return address, -g does not, the end of a user chain returns, and a RETURN with an empty stack is the policy.
 */
export function iptDoTable(kernel: Kernel, table: IptablesTable, skb: Skb, state: HookState): TableVerdict {
  const chains = chainsOf(table);
  const base = chains(state.hook);
  if (base === undefined) return { kind: "accept" };
  const stack: Frame[] = [];
  const { recording } = kernel;
  const { verbose } = kernel.network;
  const inDevice = state.in?.name ?? "";
  const outDevice = state.out?.name ?? "";
  let chain = base;
  let index = 0;
  for (;;) {
    // Who wants to know why rules did not match gets all of them.
    if (!verbose) index = nextRule(chain, index, skb.packet, inDevice, outDevice);
    const rule = ruleInPlace(chain, index);
    if (rule === undefined) {
      const back = stack.pop();
      if (back === undefined) return policy(kernel, table, base, skb);
      chain = back.chain;
      index = back.next;
      continue;
    }
    index++;
    if (!kernel.network.work.look(1 + rule.matches.length))
      throw new Undetermined(kernel.name, `${table.name} ${chain.name}`, { kind: "unknown-too-much-work" }, [
        rule.origin,
      ]);
    const answer = matchRule(kernel, rule, skb, state);
    const effect = effectOf(kernel, rule, answer);
    if (effect !== "matched" && effect !== "assumed matched") {
      if (recording && verbose)
        note(kernel, skb, table, chain, index, effect, failedCriterion(kernel, rule, skb, state));
      continue;
    }
    const { target } = rule;
    if (target.kind === "jump") {
      if (recording)
        note(kernel, skb, table, chain, index, effect, { kind: target.goto ? "goto" : "jump", chain: target.chain });
      else kernel.meet(skb, rule.origin);
      const called = chains(target.chain);
      if (called === undefined) {
        if (table.extent === "whole") {
          throw new Undetermined(
            kernel.name,
            `${table.name} ${chain.name}`,
            { kind: "unknown-chain", chain: target.chain },
            [rule.origin],
          );
        }
        kernel.oracle.assume(
          { kind: "chain", stack: kernel.name, table: table.name, chain: target.chain },
          "no effect",
          {
            kind: "chain-no-effect",
            chain: target.chain,
            table: table.name,
          },
        );
        continue;
      }
      // Looking for the chain among those that are open costs as much as so many rules.
      kernel.network.work.look(stack.length >> 2);
      if (called === chain || stack.some((f) => f.chain === called)) {
        kernel.oracle.assume(
          { kind: "loop", stack: kernel.name, table: table.name, chain: target.chain },
          "not followed",
          {
            kind: "chain-loop",
            chain: target.chain,
          },
        );
        continue;
      }
      if (!target.goto) stack.push({ chain, next: index });
      chain = called;
      index = 0;
      continue;
    }
    if (target.kind === "return") {
      if (recording) note(kernel, skb, table, chain, index, effect, { kind: "return" });
      else kernel.meet(skb, rule.origin);
      const back = stack.pop();
      if (back === undefined) return policy(kernel, table, base, skb);
      chain = back.chain;
      index = back.next;
      continue;
    }
    const outcome = runTarget(kernel, rule, skb, state, refOf(kernel, table, chain, index));
    if (recording) note(kernel, skb, table, chain, index, effect, outcome.decision);
    else kernel.meet(skb, rule.origin);
    switch (outcome.kind) {
      case "continue":
        continue;
      case "accept":
        return {
          kind: "accept",
          rule: refOf(kernel, table, chain, index),
          origin: rule.origin,
          decision: outcome.decision,
        };
      case "drop":
        if (outcome.recorded !== true) {
          kernel.drop(
            skb,
            `${table.name} ${state.hook}`,
            "NETFILTER_DROP",
            { kind: "in-chain", decision: outcome.decision, rule: refOf(kernel, table, chain, index) },
            [rule.origin],
          );
        }
        return { kind: "drop", origin: rule.origin };
      case "stolen":
        return { kind: "stolen", origin: rule.origin };
    }
  }
}

function policy(kernel: Kernel, table: IptablesTable, base: Chain, skb: Skb): TableVerdict {
  const { policy: decided, origin } = base;
  if (decided === "DROP") {
    if (kernel.recording) note(kernel, skb, table, base, 0, "matched", { kind: "policy", policy: "DROP" });
    else kernel.meet(skb, origin);
    kernel.drop(
      skb,
      `${table.name} ${base.name}`,
      "NETFILTER_DROP",
      { kind: "policy-of", policy: "DROP", rule: refOf(kernel, table, base, 0) },
      [origin],
    );
    return { kind: "drop", origin };
  }
  if (decided === "QUEUE")
    throw new Undetermined(kernel.name, `${table.name} ${base.name}`, { kind: "policy", policy: "QUEUE" }, [origin]);
  return { kind: "accept", origin, decision: { kind: "policy", policy: "ACCEPT" } };
}

const refOf = (kernel: Kernel, table: IptablesTable, chain: Chain, number: number): RuleRef => ({
  stack: kernel.name,
  backend: table.backend,
  ...(table.family === 6 && { family: 6 as const }),
  table: table.name,
  chain: chain.name,
  number,
});

/** `number` counts from 1; 0 is the policy. */
function note(
  kernel: Kernel,
  skb: Skb,
  table: IptablesTable,
  chain: Chain,
  number: number,
  effect: RuleEffect,
  decision: Decision,
): void {
  kernel.record(skb, {
    kind: "rule",
    ...refOf(kernel, table, chain, number),
    packet: skb.packet,
    effect,
    origin: number === 0 ? chain.origin : ruleInPlace(chain, number - 1)!.origin,
    decision,
    mark: skb.mark,
  });
}

/** A match that is not understood is an open fact: the rule matched, or it did not. */
function effectOf(kernel: Kernel, rule: Rule, answer: boolean | "unknown"): RuleEffect {
  if (answer === true) return "matched";
  if (answer === false) return "not matched";
  const fact: Fact = { kind: "rule", stack: kernel.name, at: placeOf(rule.origin) };
  const value = kernel.oracle.fact(fact, ["matches", "does not match"]);
  return value === "matches" ? "assumed matched" : "assumed not matched";
}
