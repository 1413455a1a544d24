import { type Decision, headerMismatch, type Match, type Rule } from "../../../model/index.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { Skb } from "../../kernel/skb.ts";
import type { HookState } from "../../netfilter/nf-hooks.ts";
import { matchAddrtype, matchIprange, matchMac, matchPkttype, matchRpfilter } from "./address.ts";
import { matchConnlimit } from "./connlimit.ts";
import { matchConnmark, matchConntrack, matchMark, matchState } from "./conntrack.ts";
import { matchDscp, matchLength, matchTcpmss, matchTos, matchTtl } from "./header.ts";
import { matchIcmp, matchMultiport, matchSctp, matchTcp, matchUdp } from "./layer4.ts";
import { matchOwner, matchPhysdev, matchPolicy, matchSocket } from "./origin.ts";
import { matchOther, matchRealm } from "./other.ts";
import { matchHashlimit, matchLimit } from "./rate.ts";
import { matchRecent } from "./recent.ts";
import { matchSet } from "./set.ts";
import { matchStatistic } from "./statistic.ts";

/**
 * true, false, not understood, or a question to the oracle. Questions fork the walk, so they wait until everything
 * that is known has agreed.
 */
export type MatchAnswer = boolean | "unknown" | Question;

export interface Question {
  readonly ask: () => boolean;
  /** It remembers that it was asked: a later match that says no does not undo that. */
  readonly counts?: true;
}

export interface MatchContext {
  readonly kernel: Kernel;
  readonly skb: Skb;
  readonly state: HookState;
  readonly rule: Rule;
}

type Matchers = { readonly [K in Match["kind"]]: (c: MatchContext, m: Match & { readonly kind: K }) => MatchAnswer };

/** Every match the reader knows has its line here: simulated, or honestly unknown. */
const MATCHERS: Matchers = {
  comment: () => true,
  tcp: matchTcp,
  udp: matchUdp,
  sctp: matchSctp,
  dccp: () => "unknown",
  icmp: matchIcmp,
  icmp6: matchIcmp,
  multiport: matchMultiport,
  mark: matchMark,
  connmark: matchConnmark,
  state: matchState,
  conntrack: matchConntrack,
  addrtype: matchAddrtype,
  set: matchSet,
  statistic: matchStatistic,
  limit: matchLimit,
  hashlimit: matchHashlimit,
  connlimit: matchConnlimit,
  recent: matchRecent,
  physdev: matchPhysdev,
  owner: matchOwner,
  iprange: matchIprange,
  mac: matchMac,
  length: matchLength,
  pkttype: matchPkttype,
  ttl: matchTtl,
  hl: matchTtl,
  tos: matchTos,
  dscp: matchDscp,
  rpfilter: matchRpfilter,
  socket: matchSocket,
  tcpmss: matchTcpmss,
  helper: (_, m) => m.negated,
  realm: matchRealm,
  policy: matchPolicy,
  other: matchOther,
  unknown: () => "unknown",
};

/** ip_packet_match() and then every extension, until one says no. An unknown counts only if no other says no. */
export function matchRule(kernel: Kernel, rule: Rule, skb: Skb, state: HookState): boolean | "unknown" {
  if (headerMismatch(rule, skb.packet, state.in?.name ?? "", state.out?.name ?? "") !== undefined) return false;
  let unknown = rule.lossy === true && hidesEverything(rule);
  const context: MatchContext = { kernel, skb, state, rule };
  const questions: Question[] = [];
  for (const match of rule.matches) {
    const answer = evaluate(context, match);
    if (answer === false) {
      for (const question of questions) if (question.counts === true && !question.ask()) break;
      return false;
    }
    if (answer === "unknown") unknown = true;
    else if (answer !== true) questions.push(answer);
  }
  for (const question of questions) if (!question.ask()) return false;
  return unknown ? "unknown" : true;
}

/** Which part of a rule said no, for people who ask why it did not match. Asks no question again. */
export function failedCriterion(kernel: Kernel, rule: Rule, skb: Skb, state: HookState): Decision {
  const criterion = headerMismatch(rule, skb.packet, state.in?.name ?? "", state.out?.name ?? "");
  if (criterion !== undefined) return { kind: "no-match", criterion };
  const answers = rule.matches.map((m) => [m.kind, evaluate({ kernel, skb, state, rule }, m)] as const);
  // What counts says no by what passed before; of `statistic` nobody can say it.
  const failed =
    answers.find(([kind, answer]) => kind !== "statistic" && answer === false) ??
    answers.find(([kind, answer]) => kind !== "statistic" && typeof answer === "object");
  return failed === undefined ? { kind: "no-match", criterion: "chance" } : { kind: "match-failed", match: failed[0] };
}

function evaluate(context: MatchContext, match: Match): MatchAnswer {
  return (MATCHERS[match.kind] as (c: MatchContext, m: Match) => MatchAnswer)(context, match);
}

/**
 * `iptables -L` without -v hides interfaces: a rule that shows no criterion at all may be `-i lo -j ACCEPT`.
 * One that shows some is taken at its word.
 */
const hidesEverything = (rule: Rule): boolean =>
  rule.source === undefined &&
  rule.destination === undefined &&
  rule.protocol === undefined &&
  rule.inInterface === undefined &&
  rule.outInterface === undefined &&
  rule.matches.every((m) => m.kind === "comment") &&
  rule.target.kind !== "jump";
