import type { Origin, RoutingRule } from "../../../model/index.ts";
import { samePrefix } from "../../../net/index.ts";
import type { RuleRequest, RuleVerb } from "../command/command.ts";
import { type Applied, done, refused, sameRecord } from "./applied.ts";

/** Follows fib_default_rule_pref() (net/core/fib_rules.c): one less than the second rule's, else 0. */
export function defaultPreference(rules: readonly RoutingRule[]): number {
  const second = rules[1];
  return second === undefined || second.preference === 0 ? 0 : second.preference - 1;
}

const MARK_ALL = 0xffffffff;

/** The rules every namespace starts with. Plain listings do not show that their protocol is `kernel`. */
const KERNEL_RULES: ReadonlyMap<number, number> = new Map([
  [0, 255],
  [32766, 254],
  [32767, 253],
]);
const isKernels = (rule: RoutingRule): boolean =>
  rule.action.kind === "lookup" &&
  KERNEL_RULES.get(rule.preference) === rule.action.table &&
  Object.keys(rule).every((k) =>
    ["family", "preference", "not", "action", "unknown", "origin", "protocol"].includes(k),
  );

/** What rule_exists() compares as a whole. Neither `not` nor the target of a goto is among it. */
const fixed = (rule: RoutingRule): unknown => {
  const { fwmark, fwmask, action, protocol } = rule;
  return {
    preference: rule.preference,
    action: action.kind === "lookup" ? { kind: action.kind, table: action.table } : { kind: action.kind },
    protocol: protocol ?? (isKernels(rule) ? "kernel" : "unspec"),
    mark: fwmark ?? 0,
    mask: fwmask ?? (fwmark === undefined ? 0 : MARK_ALL),
    iif: rule.iif,
    oif: rule.oif,
    l3mdev: rule.l3mdev,
    uidRange: rule.uidRange,
    ipProto: rule.ipProto,
    sport: rule.sport,
    dport: rule.dport,
    tunId: rule.tunId,
    suppressPrefixLength: rule.suppressPrefixLength,
    suppressGroup: rule.suppressGroup,
    unknown: rule.unknown,
  };
};

/** fib4_rule_compare(): addresses and tos count only where the request names them. */
const comparable = (have: RoutingRule, wanted: RoutingRule): boolean =>
  (["from", "to"] as const).every((side) => {
    const want = wanted[side];
    const own = have[side];
    return want === undefined || (own !== undefined && samePrefix(want, own));
  }) && (["tos", "dscp", "realms"] as const).every((name) => wanted[name] === undefined || wanted[name] === have[name]);

function add(rules: readonly RoutingRule[], request: RuleRequest): Applied<readonly RoutingRule[]> {
  const { preference = defaultPreference(rules), action, ...rest } = request;
  const rule: RoutingRule = {
    protocol: "unspec",
    ...rest,
    preference,
    action: action ?? { kind: "lookup", table: 254 },
  };
  // A goto leads forward only.
  if (rule.action.kind === "goto" && rule.action.target <= preference) return refused("EINVAL");
  if (rules.some((r) => sameRecord(fixed(r), fixed(rule)) && comparable(r, rule))) return refused("EEXIST");
  const at = rules.findIndex((r) => r.preference > preference);
  const index = at < 0 ? rules.length : at;
  return done(resolved([...rules.slice(0, index), rule, ...rules.slice(index)]));
}

/** Follows rule_find() and fib4_rule_compare(): only what was given is compared, `not` never. */
function matches(rule: RoutingRule, wanted: RuleRequest): boolean {
  if (wanted.family !== rule.family) return false;
  if (wanted.preference !== undefined && wanted.preference !== rule.preference) return false;
  const action = wanted.action;
  if (action !== undefined) {
    if (action.kind !== rule.action.kind) return false;
    // rule_find() knows nothing of a goto's target.
    if (
      action.kind === "lookup" &&
      rule.action.kind === "lookup" &&
      action.table !== 0 &&
      action.table !== rule.action.table
    )
      return false;
  }
  for (const side of ["from", "to"] as const) {
    const want = wanted[side];
    const have = rule[side];
    if (want !== undefined && (have === undefined || !samePrefix(want, have))) return false;
  }
  if (wanted.fwmark !== undefined && wanted.fwmark !== 0 && wanted.fwmark !== (rule.fwmark ?? 0)) return false;
  if (wanted.fwmask !== undefined && wanted.fwmask !== (rule.fwmask ?? (rule.fwmark === undefined ? 0 : MARK_ALL)))
    return false;
  if (wanted.l3mdev === true && rule.l3mdev !== true) return false;
  for (const name of [
    "tos",
    "iif",
    "oif",
    "ipProto",
    "tunId",
    "suppressPrefixLength",
    "suppressGroup",
    "protocol",
    "dscp",
  ] as const)
    if (wanted[name] !== undefined && wanted[name] !== rule[name]) return false;
  for (const name of ["uidRange", "sport", "dport"] as const)
    if (wanted[name] !== undefined && !sameRecord(wanted[name], rule[name])) return false;
  return true;
}

/** A goto is unresolved as long as no rule has its target; adding or deleting that rule changes it. */
function resolved(rules: readonly RoutingRule[]): readonly RoutingRule[] {
  const preferences = new Set(rules.map((r) => r.preference));
  return rules.map((rule) => {
    if (rule.action.kind !== "goto") return rule;
    const { kind, target } = rule.action;
    return { ...rule, action: { kind, target, ...(preferences.has(target) ? {} : { unresolved: true }) } };
  });
}

/** `ip rule add|del|flush` on the rules of one family, which are in the order of the listing. */
export function applyRule(
  rules: readonly RoutingRule[],
  verb: RuleVerb,
  request: RuleRequest,
  _origin?: Origin,
): Applied<readonly RoutingRule[]> {
  if (verb === "add") return add(rules, request);
  // `ip rule flush` spares the rules of preference 0.
  if (verb === "flush") return done(resolved(rules.filter((r) => r.preference === 0 || !matches(r, request))));
  const { action, preference = defaultPreference(rules) } = request;
  if (action?.kind === "goto" && action.target <= preference) return refused("EINVAL");
  const at = rules.findIndex((r) => matches(r, request));
  return at < 0 ? refused("ENOENT") : done(resolved([...rules.slice(0, at), ...rules.slice(at + 1)]));
}
