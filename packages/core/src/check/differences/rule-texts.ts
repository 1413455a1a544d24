import { type IptablesTable, type Rule, serviceName, serviceOfRule } from "../../model/index.ts";
import { formatAddress, isHostMask, protocolName } from "../../net/index.ts";
import { printRuleSpec } from "../../parse/iptables/index.ts";

/** The Service that the first of these rules is about that names one: `ns/name:port`. */
export function serviceOf(rules: readonly Rule[]): string | undefined {
  for (const rule of rules) {
    const about = serviceOfRule(rule);
    if (about !== undefined) return serviceName(about);
  }
  return undefined;
}

/** `tcp 10.96.0.10:53`, `tcp port 30080`: whom a rule is about. */
export function addressOf(rule: Rule): string | undefined {
  const port = rule.matches
    .map((m) =>
      (m.kind === "tcp" || m.kind === "udp" || m.kind === "sctp") && m.dport?.negated === false
        ? m.dport.value.from
        : undefined,
    )
    .find((p) => p !== undefined);
  if (port === undefined) return undefined;
  const protocol = rule.protocol === undefined ? "" : `${protocolName(rule.protocol.value)} `;
  const { destination } = rule;
  if (destination === undefined || destination.negated || !isHostMask(destination.value.mask))
    return `${protocol}port ${port}`;
  const address = formatAddress(destination.value.address);
  return `${protocol}${address.includes(":") ? `[${address}]` : address}:${port}`;
}

/** Where a chain sends packets: `10.244.1.5:8080`. */
export function endpointOf(table: IptablesTable, chain: string): string | undefined {
  for (const rule of table.chains.find((c) => c.name === chain)?.rules ?? []) {
    const endpoint = translationOf(rule);
    if (endpoint !== undefined) return endpoint;
  }
  return undefined;
}

export function translationOf({ target }: Rule): string | undefined {
  if (target.kind !== "dnat" || target.to.addresses === undefined) return undefined;
  const address = formatAddress(target.to.addresses.from);
  const port = target.to.ports === undefined ? "" : `:${target.to.ports.from}`;
  return `${address.includes(":") ? `[${address}]` : address}${port}`;
}

export const ruleText = (rule: Rule, table: IptablesTable): string => printRuleSpec(rule, table.family);
