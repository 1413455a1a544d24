import { text } from "../../../messages/index.ts";
import { chainNamed, ruleCount, type Stack, someChain, type UnreadDrop } from "../../../model/index.ts";
import { contains, formatAddress, isIpv4, parsePrefix, protocolName } from "../../../net/index.ts";
import type { ClaimedCause } from "../../cause.ts";
import type { Look, Sign } from "../../sign.ts";
import { shownStacks, suspect } from "../claim.ts";

/** `ct state invalid`, `established`, `related`: a new connection is none of them, unless it is negated. */
const NOT_NEW = /\bct state (?!new|!|\{)(?:(?:invalid|established|related|untracked),?){1,4}(?![a-z,])/;

/** `ip saddr 10.0.0.0/8`: words of a rule that name one side. */
const SIDES = [
  [/\bip6? saddr (!= )?([0-9a-fA-F.:/]{3,49})/, "from"],
  [/\bip6? daddr (!= )?([0-9a-fA-F.:/]{3,49})/, "to"],
] as const;

/** Whether a rule, as far as its words are plain, cannot be about the asked flow, in either direction. */
function isAboutOthers({ question, exploration }: Look, { rule }: UnreadDrop): boolean {
  if (NOT_NEW.test(rule)) return true;
  const protocol = /\b(?:meta l4proto |ip protocol )?(tcp|udp|sctp|icmp)\b/.exec(rule)?.[1];
  if (protocol !== undefined && protocol !== protocolName(question.protocol)) return true;
  const ports = [question.port, ...exploration.branches.map((b) => b.request.final.dport)];
  const port = /\b(?:tcp|udp|sctp|th) [ds]port (\d{1,5})\b/.exec(rule)?.[1];
  if (port !== undefined && !ports.includes(Number(port))) return true;
  const clients = [question.bindAddress, ...exploration.branches.map((b) => b.request.final.src)].filter(
    (a) => a !== undefined,
  );
  const targets = [question.to, ...exploration.branches.map((b) => b.request.final.dst)];
  const named = SIDES.flatMap(([pattern, side]) => {
    const [, not, word = ""] = pattern.exec(rule) ?? [];
    const prefix = parsePrefix(word.includes("/") ? word : `${word}/${word.includes(":") ? 128 : 32}`);
    return prefix === undefined ? [] : [{ side, not: not !== undefined, prefix }];
  });
  const fits = (from: typeof targets, to: typeof targets): boolean =>
    named.every(({ side, not, prefix }) => (side === "from" ? from : to).some((a) => contains(prefix, a) !== not));
  return !fits(clients, targets) && !fits(targets, clients);
}

/**
 * A rule that is not read (native nftables) drops, and has dropped: its counter says so. Guards: it names other addresses, ports or protocols than
 * the flow's, or only what is no new connection; a counter does not say whose packets they were, so it stays a suspicion.
 */
export const dropCounted: Sign = {
  codes: ["RULE_DROP", "NFT_SECOND_TABLE_DROP"],
  detect: (look) =>
    shownStacks(look).flatMap((stack) => {
      const drops = stack.netfilter.nativeNft.flatMap((t) => t.drops ?? []);
      const [most] = drops
        .filter((d) => d.packets > 0 && !isAboutOthers(look, d))
        .sort((a, b) => b.packets - a.packets);
      return most === undefined ? [] : [claim(stack, most)];
    }),
};

function claim(stack: Stack, { chain, rule, packets, origin }: UnreadDrop): ClaimedCause {
  const beside = stack.netfilter.tables.some((t) => someChain(t, (c) => ruleCount(c) > 0));
  return suspect({
    code: beside ? "NFT_SECOND_TABLE_DROP" : "RULE_DROP",
    stack: stack.name,
    summary: text("cause.rule_drop.counted", { stack: stack.name, chain, rule: rule.slice(0, 300), packets }),
    evidence: [origin],
    step: `nftables ${chain}`,
    check: { text: text("check.nft-trace"), command: "nft list ruleset; nft monitor trace" },
  });
}

/** The same of a policy: IPv6 is not walked yet, and a FORWARD chain that drops what nobody accepts is the first thing to look at. */
export const forwardPolicyShown: Sign = {
  codes: ["FORWARD_POLICY_DROP"],
  detect: (look) => {
    if (isIpv4(look.question.to)) return [];
    return shownStacks(look).flatMap((stack) => {
      const chain = stack.netfilter.tables
        .filter((t) => t.family === 6 && t.name === "filter")
        .flatMap((t) => [chainNamed(t, "FORWARD")].filter((c) => c?.policy === "DROP"))[0];
      if (chain === undefined) return [];
      return [
        suspect({
          code: "FORWARD_POLICY_DROP",
          stack: stack.name,
          summary: text("cause.forward_policy_drop.shown", {
            stack: stack.name,
            to: formatAddress(look.question.to),
          }),
          evidence: [chain.origin],
          step: "filter FORWARD",
          check: {
            text: text("check.forward-six"),
            command: "ip6tables-save -c; sysctl net.bridge.bridge-nf-call-ip6tables",
          },
        }),
      ];
    });
  },
};
