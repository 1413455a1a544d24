import {
  type HookStep,
  headerMismatch,
  type Match,
  type Negatable,
  type Packet,
  type Rule,
  type RuleStep,
} from "../../model/index.ts";
import type { MaskedAddress } from "../../model/netfilter/index.ts";
import { shellLine } from "../../model/shell.ts";
import { append } from "../../net/append.ts";
import { applyMask, formatAddress, type PortRange, protocolName } from "../../net/index.ts";
import { ruleArguments } from "../../parse/iptables/rule/print.ts";

/** One thing that a rule asks for, by itself: a rule with nothing else, and the rule without it or with what is there. */
export interface Condition {
  readonly shown: string;
  /** Asks for this alone. */
  readonly probe: Rule;
  /** Whether a packet meets it, where that can be told from its header alone. */
  readonly holds?: (packet: Packet) => boolean;
  /** What the packet has in its place. */
  readonly actual: (visit: Visit) => string;
  /** The rule with this condition replaced by what the packet has, or taken away where that cannot be said. */
  readonly replaced: (rule: Rule, visit: Visit) => Rule;
}

/** A packet of the flow at the place of the rule. */
export interface Visit {
  readonly step: Pick<RuleStep, "packet" | "mark">;
  readonly hook: Pick<HookStep, "in" | "out" | "ct">;
}

const bare = (rule: Rule): Rule => ({ matches: [], target: { kind: "none" }, origin: rule.origin });

const shownOf = (probe: Rule): string => shellLine(ruleArguments(probe, 4)).trim();

const device = (name: string): string => (name === "" ? "no device" : name);

/** What a rule asks for, condition by condition. Comments ask for nothing. */
export function conditionsOf(rule: Rule): readonly Condition[] {
  const found: Condition[] = [];
  const add = (
    part: Partial<Rule>,
    actual: Condition["actual"],
    replaced: (rule: Rule, visit: Visit) => Partial<Record<keyof Rule, unknown>>,
  ): void => {
    const probe: Rule = { ...bare(rule), ...part };
    const inHeader = part.inInterface === undefined && part.outInterface === undefined;
    found.push({
      shown: shownOf(probe),
      probe,
      ...(inHeader && { holds: (packet) => headerMismatch(probe, packet, "", "") === undefined }),
      actual,
      replaced: (r, v) => without({ ...r, ...replaced(r, v) }),
    });
  };
  const { source, destination, inInterface, outInterface, protocol } = rule;
  if (source !== undefined)
    add(
      { source },
      ({ step }) => formatAddress(step.packet.src),
      (_, { step }) => ({ source: masked(source, step.packet.src) }),
    );
  if (destination !== undefined)
    add(
      { destination },
      ({ step }) => formatAddress(step.packet.dst),
      (_, { step }) => ({ destination: masked(destination, step.packet.dst) }),
    );
  if (inInterface !== undefined)
    add(
      { inInterface },
      ({ hook }) => device(hook.in),
      (_, { hook }) => ({ inInterface: named(hook.in) }),
    );
  if (outInterface !== undefined)
    add(
      { outInterface },
      ({ hook }) => device(hook.out),
      (_, { hook }) => ({ outInterface: named(hook.out) }),
    );
  if (protocol !== undefined)
    add(
      { protocol },
      ({ step }) => protocolName(step.packet.protocol),
      (r, { step }) => ({
        protocol: { value: step.packet.protocol, negated: false },
        protocolName: undefined,
        matches: r.matches.filter((m) => m.kind !== "tcp" && m.kind !== "udp" && m.kind !== "sctp"),
      }),
    );
  for (const match of rule.matches) if (match.kind !== "comment") append(found, ofMatch(rule, match));
  return found;
}

/** The same length of prefix, laid over the packet's address; what was excluded is no longer asked. */
const masked = (wanted: Negatable<MaskedAddress>, address: MaskedAddress["address"]) =>
  wanted.negated
    ? undefined
    : { value: { address: applyMask(address, wanted.value.mask), mask: wanted.value.mask }, negated: false };

const named = (name: string) => (name === "" ? undefined : { value: name, negated: false });

const without = (rule: Partial<Record<keyof Rule, unknown>>): Rule =>
  Object.fromEntries(Object.entries(rule).filter(([, v]) => v !== undefined)) as unknown as Rule;

const replace = (rule: Rule, old: Match, now: Match | undefined): Rule => ({
  ...rule,
  matches: rule.matches.flatMap((m) => (sameKind(m, old) ? (now === undefined ? [] : [now]) : [m])),
});

/** A match that was changed before is found again by what it is, not by which record it is. */
const sameKind = (a: Match, b: Match): boolean =>
  a === b || (a.kind === b.kind && (a.kind === "tcp" || a.kind === "udp" || a.kind === "sctp"));

function ofMatch(rule: Rule, match: Match): readonly Condition[] {
  // iptables takes -m tcp only with -p tcp.
  const needs = match.kind === "tcp" || match.kind === "udp" || match.kind === "sctp";
  const probe = (m: Match): Rule => ({
    ...bare(rule),
    ...(needs && rule.protocol !== undefined && { protocol: rule.protocol }),
    matches: [m],
  });
  if (match.kind !== "tcp" && match.kind !== "udp" && match.kind !== "sctp") {
    const one = probe(match);
    const mark = match.kind === "mark" ? match : undefined;
    return [
      {
        shown: shownOf(one),
        probe: one,
        actual: ({ step, hook }) =>
          mark !== undefined
            ? `mark 0x${step.mark.toString(16)}`
            : match.kind === "conntrack" || match.kind === "state"
              ? (hook.ct ?? "untracked")
              : "otherwise",
        replaced: (r, { step }) =>
          replace(
            r,
            match,
            mark === undefined ? undefined : { ...mark, value: (step.mark & mark.mask) >>> 0, negated: false },
          ),
      },
    ];
  }
  return (["sport", "dport"] as const).flatMap((side): Condition[] => {
    const wanted: Negatable<PortRange> | undefined = match[side];
    if (wanted === undefined) return [];
    const one = probe({ kind: match.kind, [side]: wanted } as Match);
    return [
      {
        shown: `--${side} ${wanted.negated ? "! " : ""}${wanted.value.from === wanted.value.to ? wanted.value.from : `${wanted.value.from}:${wanted.value.to}`}`,
        probe: one,
        holds: (packet) => {
          const port = packet[side];
          const { value, negated } = wanted;
          return typeof port !== "number" || (port >= value.from && port <= value.to) !== negated;
        },
        actual: ({ step }) => (typeof step.packet[side] === "number" ? String(step.packet[side]) : "any port"),
        replaced: (r, { step }) => {
          const current = r.matches.find((m) => m.kind === match.kind);
          const port = step.packet[side];
          if (current === undefined) return r;
          const { [side]: _, ...rest } = current as typeof match;
          const now = typeof port === "number" ? { [side]: { value: { from: port, to: port }, negated: false } } : {};
          return replace(r, match, { ...rest, ...now } as Match);
        },
      },
    ];
  });
}
