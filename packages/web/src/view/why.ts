import type { Match, Packet, Port, Rule, Step, World } from "@hairpin/core/model/index.ts";
import { formatAddress, formatEndpoint, protocolName } from "@hairpin/core/net/index.ts";
import { printRuleSpec } from "@hairpin/core/parse/iptables/rule/print.ts";
import { isChosen } from "./rows.ts";

type RuleStep = Step & { readonly kind: "rule" };
type HookStep = Step & { readonly kind: "hook" };

/** One thing a rule asks for, and what the packet has there. */
export interface Reason {
  readonly asks: string;
  readonly has: string;
}

/** What a packet meets a rule with: how it looked, where it was, and what it was marked with. */
export interface Meeting {
  readonly packet: Packet;
  readonly hook: HookStep | undefined;
  readonly mark: number;
}

/** Why a rule matched: its conditions one by one. */
export function whyMatched(step: RuleStep, meeting: Meeting, world: World): readonly Reason[] {
  if (step.effect === "not matched" || step.number === 0) return [];
  const found = ruleOf(step, world);
  if (found === undefined) return [];
  const { rule, family } = found;
  const { packet, hook } = meeting;
  const print = (part: Partial<Rule>): string =>
    printRuleSpec({ matches: [], target: { kind: "none" }, origin: rule.origin, ...part }, family);
  const { source, destination, inInterface, outInterface, protocol } = rule;
  return [
    ...(source === undefined ? [] : [{ asks: print({ source }), has: formatAddress(packet.src) }]),
    ...(destination === undefined ? [] : [{ asks: print({ destination }), has: formatAddress(packet.dst) }]),
    ...(inInterface === undefined ? [] : [{ asks: print({ inInterface }), has: hook?.in ?? "" }]),
    ...(outInterface === undefined ? [] : [{ asks: print({ outInterface }), has: hook?.out ?? "" }]),
    ...(protocol === undefined ? [] : [{ asks: print({ protocol }), has: protocolName(packet.protocol) }]),
    ...rule.matches.flatMap((m): Reason[] =>
      m.kind === "comment" ? [] : [{ asks: print({ matches: [m] }), has: had(m, meeting) }],
    ),
  ];
}

/** The rule of a step, if it is the one that stands where the step says. */
function ruleOf(step: RuleStep, world: World): { readonly rule: Rule; readonly family: 4 | 6 } | undefined {
  const stack = world.stacks.find((s) => s.name === step.stack);
  for (const table of stack?.netfilter.tables ?? []) {
    if (table.name !== step.table) continue;
    const rule = table.chains.find((c) => c.name === step.chain)?.rules[step.number - 1];
    if (rule !== undefined && rule.origin === step.origin) return { rule, family: table.family };
  }
  return undefined;
}

const port = (p: Port): string => (typeof p === "number" ? String(p) : `${p.from}-${p.to}`);
const hex = (n: number): string => `0x${n.toString(16)}`;

function had(match: Match, { packet, hook, mark }: Meeting): string {
  const { src, dst, sport, dport } = packet;
  switch (match.kind) {
    case "tcp":
    case "udp":
    case "sctp":
    case "multiport":
      return `${port(sport)} > ${port(dport)}`;
    case "mark":
      return hex(mark);
    case "conntrack":
    case "state":
      return hook?.ct ?? "";
    case "addrtype":
    case "set":
      return `${formatEndpoint(src, port(sport))} > ${formatEndpoint(dst, port(dport))}`;
    case "physdev":
      return [hook?.physIn, hook?.physOut].filter((d) => d !== undefined).join(" > ");
    case "length":
      return String(packet.length);
    case "ttl":
      return String(packet.ttl);
    default:
      return "";
  }
}

/** What the kernel looked up to decide: the key of a routing decision, and of the way back. */
export function lookedUp(step: Step, before: Packet | undefined): string | undefined {
  const { src, dst } = before ?? step.packet;
  if (step.kind === "route") {
    const from = before !== undefined && isChosen(before) ? ` from ${formatAddress(src)}` : "";
    return `to ${formatAddress(dst)}${from}`;
  }
  if (step.kind === "source validation")
    return `to ${formatAddress(step.packet.src)} from ${formatAddress(step.packet.dst)}`;
  return undefined;
}
