import type { Chain, IptablesTable, Origin, Rule, Stack } from "../../model/index.ts";
import { type Cause, type Finding, stackOf, stepsOf } from "../cause.ts";

interface Place {
  readonly table: IptablesTable;
  readonly chain: Chain;
  /** Undefined: the policy. */
  readonly rule: Rule | undefined;
  readonly number: number;
}

function placeOf(stack: Stack | undefined, origin: Origin | undefined): Place | undefined {
  for (const table of stack?.netfilter.tables ?? []) {
    for (const chain of table.chains) {
      const at = chain.rules.findIndex((r) => r.origin === origin);
      if (at >= 0) return { table, chain, rule: chain.rules[at], number: at + 1 };
      if (chain.origin === origin && chain.policy === "DROP") return { table, chain, rule: undefined, number: 0 };
    }
  }
  return undefined;
}

const commentOf = (rule: Rule | undefined): string =>
  rule?.matches.flatMap((m) => (m.kind === "comment" ? [m.text] : [])).join(" ") ?? "";

/** Which code the chain of a dropping rule stands for. kube-proxy's and the CNIs' chain names are their interface. */
function codeOf({ table, chain, rule }: Place, marked: boolean): { readonly code: string; readonly why: string } {
  const comment = commentOf(rule);
  const bare = rule?.matches.every((m) => m.kind === "comment") === true;
  if (table.name === "raw")
    return { code: "RAW_TABLE_FILTER", why: "a rule of table raw, which runs before conntrack, drops it" };
  if (chain.name === "KUBE-FIREWALL" && bare && rule.source === undefined && rule.destination === undefined) {
    return {
      code: "RULE_CORRUPTED_BY_VERSION_SKEW",
      why: "KUBE-FIREWALL drops every packet: its rule has lost the mark it should ask for",
    };
  }
  if (chain.name === "KUBE-FIREWALL" && marked) {
    return { code: "ETP_LOCAL_NO_ENDPOINT_IPTABLES", why: "kube-proxy marked the packet to be dropped" };
  }
  if (rule === undefined && chain.name === "FORWARD") {
    return { code: "FORWARD_POLICY_DROP", why: "no rule of FORWARD accepts it and the policy is DROP" };
  }
  if (/has no local endpoints/.test(comment))
    return {
      code: "ETP_LOCAL_NO_ENDPOINT_IPTABLES",
      why: "the Service has no endpoint on this node and its traffic policy is Local",
    };
  if (/has no endpoints/.test(comment)) return { code: "NO_ENDPOINTS", why: "the Service has no endpoint" };
  if (/^KUBE-(FW-|PROXY-FIREWALL)/.test(chain.name))
    return { code: "LB_SOURCE_RANGES", why: "the client is not in the Service's loadBalancerSourceRanges" };
  if (chain.name === "KUBE-IPVS-FILTER")
    return {
      code: "KUBE_IPVS_FILTER_REJECT",
      why: "kube-proxy's IPVS filter lets only known ports of a virtual address through",
    };
  if (/^(cali-|KUBE-POD-FW|KUBE-NWPLCY|KUBE-ROUTER)/.test(chain.name))
    return { code: "NETWORK_POLICY_DROP", why: "a network policy does not allow it" };
  if (/^DOCKER-ISOLATION/.test(chain.name)) return { code: "DOCKER_ISOLATION", why: "Docker keeps its networks apart" };
  if (rule?.target.kind === "reject" && bare && chain.policy !== undefined) {
    return { code: "RULE_ORDER_REJECT", why: `a rule of ${chain.name} rejects all that no earlier rule accepted` };
  }
  return {
    code: "RULE_DROP",
    why: `${rule === undefined ? `the policy of ${chain.name}` : `rule ${chain.rules.indexOf(rule) + 1} of ${chain.name}`} in table ${table.name} drops it`,
  };
}

/** A rule or a policy dropped or rejected the packet; whose chain it is tells which cause it stands for. */
export const netfilterDrop: Cause = {
  codes: [
    "RULE_DROP",
    "RAW_TABLE_FILTER",
    "RULE_CORRUPTED_BY_VERSION_SKEW",
    "FORWARD_POLICY_DROP",
    "ETP_LOCAL_NO_ENDPOINT_IPTABLES",
    "NO_ENDPOINTS",
    "LB_SOURCE_RANGES",
    "KUBE_IPVS_FILTER_REJECT",
    "NETWORK_POLICY_DROP",
    "DOCKER_ISOLATION",
    "RULE_ORDER_REJECT",
  ],
  detect: ({ leg, world, direction }) => {
    if (leg.drop !== "NETFILTER_DROP") return [];
    const stack = stackOf(world, leg.stack);
    const place = placeOf(stack, leg.origins[0]);
    if (place === undefined) return [];
    const marking = stepsOf(leg, "rule").find((s) => s.decision.startsWith("mark 0x") && /DROP/.test(s.chain));
    const { code, why } = codeOf(place, marking !== undefined);
    const { table, chain, number } = place;
    const evidence = [...leg.origins, ...(marking === undefined ? [] : [marking.origin])];
    const without =
      place.rule === undefined
        ? [`${leg.stack}: iptables -t ${table.name} -P ${chain.name} ACCEPT`]
        : [`${leg.stack}: iptables -t ${table.name} -D ${chain.name} ${number}`];
    const finding: Finding = {
      code,
      summary: `the ${direction} dies on ${leg.stack}: ${why}`,
      stack: leg.stack,
      evidence,
      without,
      root: true,
    };
    return [finding];
  },
};
