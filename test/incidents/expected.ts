import type { Diagnosis } from "../../packages/core/src/diagnose/index.ts";

/** What an incident's folder says of the right answer. */
export interface Expected {
  readonly cause: string;
  readonly cause_secondary: string | readonly string[] | null;
  readonly must_not_claim: readonly string[];
}

export const CONTROLS: ReadonlySet<string> = new Set(["UNKNOWN", "NO_FAULT_COSMETIC"]);

/** Codes that say what a phrase under `must_not_claim` forbids. */
const FORBIDDEN: readonly (readonly [RegExp, readonly string[]])[] = [
  [/rp_filter/, ["RP_FILTER_STRICT"]],
  [/FORWARD (?:DROP|policy)/, ["FORWARD_POLICY_DROP"]],
  [/security group/, ["UNDERLAY_FILTER"]],
  [/MTU/, ["MTU_BLACKHOLE"]],
  [/no (?:local )?endpoints|missing endpoint/, ["NO_ENDPOINTS", "ETP_LOCAL_NO_ENDPOINT_IPVS"]],
  [/checksum bug/, ["VXLAN_TX_CSUM_OFFLOAD"]],
  [/MASQUERADE/, ["MASQ_MISSING_NODE_TO_POD", "MASQ_MISSING_IPVS_HOST", "MASQ_MISSING_REMOTE_ENDPOINT"]],
  [/NetworkPolicy/, ["NETWORK_POLICY_DROP"]],
  [/conntrack table full/, ["CONNTRACK_FULL"]],
  [/pod not listening/, ["NO_LISTENER"]],
  [/iptables drop/, ["RULE_DROP"]],
  [/hairpin mode/, ["HAIRPIN_OFF"]],
  [/bridge-nf-call-iptables|br_netfilter/, ["BRIDGE_NF_OFF"]],
  [/REJECT/, ["RULE_ORDER_REJECT", "RULE_DROP"]],
  [/legacy iptables conflict/, ["LEGACY_NFT_CONFLICT"]],
  [/KUBE-MARK-DROP was hit/, ["ETP_LOCAL_NO_ENDPOINT_IPTABLES"]],
  [/route_localnet/, ["ROUTE_LOCALNET"]],
  [/is a wrong route/, ["WRONG_POD_ROUTE", "NO_ROUTE"]],
  [/routing problem on the client/, ["NO_ROUTE", "WRONG_POD_ROUTE"]],
];

/** A code, alone or followed by what of it is forbidden: `UNDERLAY_FILTER (the packet arrives)`, `… proven`. */
const CODE = /^([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(.*)$/;

export const rightCodes = ({ cause, cause_secondary: more }: Expected): readonly string[] => [
  cause,
  ...(more === null ? [] : typeof more === "string" ? [more] : more),
];

/** Codes that may not be claimed, at all or as `proven`. */
function forbidden(expected: Expected): { readonly never: readonly string[]; readonly notProven: readonly string[] } {
  const never: string[] = [];
  const notProven: string[] = [];
  for (const phrase of expected.must_not_claim) {
    const [, code, rest] = CODE.exec(phrase) ?? [];
    if (code !== undefined) (rest?.includes("proven") ? notProven : never).push(code);
    else never.push(...FORBIDDEN.flatMap(([pattern, codes]) => (pattern.test(phrase) ? codes : [])));
  }
  const right = rightCodes(expected);
  return { never: never.filter((c) => !right.includes(c)), notProven };
}

export interface Score {
  readonly falseReachable: boolean;
  readonly wrongProven: readonly string[];
  readonly forbidden: readonly string[];
  readonly right: boolean;
}

/**
 * How an answer stands against what was confirmed. Of the causes the first two count. Of a control nothing may be claimed beyond
 * a suspicion, and where the confirmed cause is one that no dump shows it is not reachable either.
 */
export function score({ judgement, causes }: Diagnosis, expected: Expected): Score {
  const right = rightCodes(expected);
  const { never, notProven } = forbidden(expected);
  const control = CONTROLS.has(expected.cause);
  const falseReachable = judgement.verdict === "reachable";
  const wrongProven = causes
    .filter((c) => c.certainty === "proven" && (!right.includes(c.code) || notProven.includes(c.code)))
    .map((c) => c.code);
  const claimed = causes.filter((c) => never.includes(c.code)).map((c) => c.code);
  const found = control
    ? causes.every((c) => c.certainty === "possible")
    : causes.slice(0, 2).some((c) => right.includes(c.code));
  const clean = !falseReachable && wrongProven.length === 0 && claimed.length === 0;
  return { falseReachable, wrongProven, forbidden: claimed, right: clean && found };
}
