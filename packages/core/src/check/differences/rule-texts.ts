import type { IptablesTable, Rule } from "../../model/index.ts";
import { formatAddress, isHostMask, protocolName } from "../../net/index.ts";
import { printRuleSpec } from "../../parse/iptables/index.ts";

/** kube-proxy calls a Service by its port in the comment of every rule: `ns/name:port cluster IP`. */
export function serviceOf(rules: readonly Rule[]): string | undefined {
  for (const rule of rules) {
    for (const m of rule.matches) {
      if (m.kind !== "comment") continue;
      const found = /^"?([a-z0-9][-a-z0-9.]*\/[a-z0-9][-a-z0-9.]*(?::[-A-Za-z0-9.]+)?)(?![-\w.:/])/.exec(m.text);
      if (found !== null) return found[1];
    }
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
