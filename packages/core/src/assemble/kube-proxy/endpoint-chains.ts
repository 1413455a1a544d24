import {
  type Chain,
  derived,
  endpointOfRule,
  type Origin,
  PROXY_CHAIN,
  type ProxyEndpoint,
  proxyChain,
  type Rule,
} from "../../model/index.ts";
import { isIpv4, maskFor } from "../../net/index.ts";

/**
 * Since 1.24 the rule that calls the chain of an endpoint says in its comment whom that chain leads to. Where an excerpt has the one and
 * lacks the other, the other follows.
 */
export function endpointChains(chains: readonly Chain[]): readonly Chain[] {
  const known = new Set(chains.map((c) => c.name));
  const made: Chain[] = [];
  for (const { name, rules } of chains)
    for (const rule of rules) {
      const { target } = rule;
      if (target.kind !== "jump" || known.has(target.chain) || proxyChain(target.chain) !== "endpoint") continue;
      const endpoint = endpointOfRule(rule);
      const protocol = endpoint === undefined ? undefined : protocolFor(chains, name);
      if (endpoint === undefined || protocol === undefined) continue;
      known.add(target.chain);
      made.push(chainOf(target.chain, endpoint, protocol, rule.origin));
    }
  return made;
}

/** The protocol that leads to a Service's chain, however many chains lie between. */
function protocolFor(chains: readonly Chain[], name: string, depth = 3): number | undefined {
  if (depth === 0) return undefined;
  for (const { name: caller, rules } of chains) {
    const call = rules.find((r) => r.target.kind === "jump" && r.target.chain === name);
    if (call === undefined) continue;
    const found = call.protocol?.negated === false ? call.protocol.value : protocolFor(chains, caller, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** As kube-proxy writes it: an endpoint that calls itself is masqueraded, and then the translation. */
function chainOf(name: string, { address, port }: ProxyEndpoint, protocol: number, from: Origin): Chain {
  const origin = derived("whom an endpoint's chain leads to, by the comment of the rule that calls it", from);
  const masquerade: Rule = {
    source: { negated: false, value: { address, mask: maskFor(address, isIpv4(address) ? 32 : 128) } },
    matches: [],
    target: { kind: "jump", chain: PROXY_CHAIN["mark-masq"], goto: false },
    origin,
  };
  const translate: Rule = {
    protocol: { negated: false, value: protocol },
    matches: [],
    target: {
      kind: "dnat",
      to: { addresses: { from: address, to: address }, ports: { from: port, to: port } },
      random: false,
      randomFully: false,
      persistent: false,
    },
    origin,
  };
  return { name, rules: [masquerade, translate], extent: "partial", origin };
}
