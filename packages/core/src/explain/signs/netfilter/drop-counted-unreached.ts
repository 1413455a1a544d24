import { text } from "../../../messages/index.ts";
import {
  addressMatches,
  BUILT_IN_CHAINS,
  type Chain,
  type IptablesTable,
  isPolicyChain,
  type Port,
  protocolMatches,
  type Rule,
  type Stack,
} from "../../../model/index.ts";
import { shell } from "../../../model/shell.ts";
import type { Address } from "../../../net/index.ts";
import { groundsOf, legsOf } from "../../../trace/index.ts";
import type { ClaimedCause } from "../../cause.ts";
import type { Look, Sign } from "../../sign.ts";
import { shownStacks, suspect } from "../claim.ts";

/** Chains that shown rules lead to from a chain of the kernel's own: those the walk has been through, or not. */
function reachedIn({ name, chains }: IptablesTable): ReadonlySet<string> {
  const byName = new Map(chains.map((c) => [c.name, c]));
  const reached = new Set<string>(BUILT_IN_CHAINS[name]);
  // A set is walked while it grows.
  for (const chain of reached)
    for (const { target } of byName.get(chain)?.rules ?? []) if (target.kind === "jump") reached.add(target.chain);
  return reached;
}

/** A rule that no packet of a new connection meets. */
const isNotForNew = ({ matches }: Rule): boolean =>
  matches.some((m) => {
    const states =
      m.kind === "state" ? { negated: m.negated, value: m.states } : m.kind === "conntrack" ? m.states : undefined;
    return states !== undefined && states.value.includes("NEW") === states.negated;
  });

/** Whether a rule, by the plain words of it, can be about the asked flow in one direction or the other. */
function mayBeAbout({ question, exploration }: Look, rule: Rule): boolean {
  if (rule.protocol !== undefined && !protocolMatches(rule.protocol, question.protocol)) return false;
  if (isNotForNew(rule)) return false;
  const finals = exploration.branches.map((b) => b.request.final);
  const ports = [question.port, ...finals.map((f) => f.dport)];
  for (const m of rule.matches) {
    if ((m.kind === "tcp" || m.kind === "udp" || m.kind === "sctp") && m.dport !== undefined) {
      const { negated, value } = m.dport;
      const inside = (p: Port): boolean => typeof p !== "number" || (p >= value.from && p <= value.to) !== negated;
      if (!ports.some(inside)) return false;
    }
  }
  const clients = [question.bindAddress, ...finals.map((f) => f.src)].flatMap((a) => a ?? []);
  const targets = [question.to, ...finals.map((f) => f.dst)];
  const fits = (side: Rule["source"], addresses: readonly Address[]): boolean =>
    side === undefined || addresses.some((a) => addressMatches(side, a));
  return (
    (fits(rule.source, clients) && fits(rule.destination, targets)) ||
    (fits(rule.source, targets) && fits(rule.destination, clients))
  );
}

interface Counted {
  readonly stack: Stack;
  readonly table: IptablesTable;
  readonly chain: Chain;
  readonly rule: Rule;
  readonly packets: number;
}

/** Where somebody stands is made up: then the devices that rules ask for are, too. */
const isPlaceMadeUp = ({ exploration }: Look): boolean =>
  groundsOf(exploration).some((g) => g.kind === "endpoint" || g.kind === "client");

/** Chains of a table that some branch has been through: what they drop is known. */
function walkedIn({ exploration }: Look, { name: stack }: Stack, { name: table }: IptablesTable): ReadonlySet<string> {
  const steps = exploration.branches.flatMap((b) => legsOf(b).flatMap((leg) => leg.steps));
  return new Set(
    steps.flatMap((s) => {
      if (s.kind !== "rule" || s.stack !== stack || s.table !== table) return [];
      const { decision } = s;
      const called = decision.kind === "jump" || decision.kind === "goto" ? [decision.chain] : [];
      return [s.chain, ...called];
    }),
  );
}

/** Drops that counted packets in chains that no walk comes by: an excerpt lacks what leads to them, or it leads there from a place that nobody showed. */
function countedIn(look: Look, stack: Stack): readonly Counted[] {
  // Rules that kube-proxy would have programmed have counted nothing.
  if (stack.fromObjects === true) return [];
  const madeUp = isPlaceMadeUp(look);
  return stack.netfilter.tables
    .filter((t) => t.extent !== "whole" && (t.name === "filter" || t.name === "mangle" || t.name === "raw"))
    .flatMap((table) => {
      const reached = reachedIn(table);
      const walked = walkedIn(look, stack, table);
      const own: readonly string[] = BUILT_IN_CHAINS[table.name];
      return table.chains
        .filter((c) => !own.includes(c.name) && !walked.has(c.name) && (madeUp || !reached.has(c.name)))
        .flatMap((chain) =>
          chain.rules.flatMap((rule): Counted[] => {
            const packets = rule.counters?.packets ?? 0;
            const ends = rule.target.kind === "drop" || rule.target.kind === "reject";
            return ends && packets > 0 && mayBeAbout(look, rule) ? [{ stack, table, chain, rule, packets }] : [];
          }),
        );
    });
}

/**
 * A chain was shown without what leads to it, as `iptables -nvL CHAIN` prints it, and a rule of it drops and has dropped. People show the chain that
 * they suspect. Guards: it names other addresses, ports or protocols, or only what is no new connection; whose packets it counted is not known, so
 * that it stays a suspicion.
 */
export const dropCountedUnreached: Sign = {
  codes: ["RULE_DROP", "NETWORK_POLICY_DROP"],
  detect: (look) =>
    shownStacks(look).flatMap((stack) => {
      const [most] = [...countedIn(look, stack)].sort((a, b) => b.packets - a.packets);
      return most === undefined ? [] : [claim(most)];
    }),
};

const claim = ({ stack, table, chain, rule, packets }: Counted): ClaimedCause =>
  suspect({
    code: isPolicyChain(chain.name) ? "NETWORK_POLICY_DROP" : "RULE_DROP",
    stack: stack.name,
    summary: text("cause.rule_drop.counted-unreached", {
      stack: stack.name,
      chain: chain.name,
      table: table.name,
      packets,
    }),
    evidence: [rule.origin, chain.origin],
    step: `${table.name} ${chain.name}`,
    check: {
      text: text("check.rule-counter"),
      command: shell`iptables -t ${table.name} -nvL ${chain.name}`,
    },
  });
