import { derived, is, type Match, type Origin } from "../../model/index.ts";
import { ANY4, ANY6, type Family, maskFor } from "../../net/index.ts";
import type { ProxyEndpoint } from "../endpoints.ts";
import { comment, fromHost, jump, transport } from "../rules.ts";
import type { ProxyServicePort } from "../service-ports.ts";
import { isSince } from "../version.ts";
import { endpointChain, MARK_MASQ } from "./names.ts";
import type { Sync } from "./sync.ts";

/** An endpoint with the name of its chain, which several rules ask for. */
export interface EndpointChain {
  readonly endpoint: ProxyEndpoint;
  readonly chain: string;
}

export const endpointChains = (
  port: ProxyServicePort,
  endpoints: readonly ProxyEndpoint[],
): ReadonlyMap<ProxyEndpoint, EndpointChain> =>
  new Map(endpoints.map((endpoint) => [endpoint, { endpoint, chain: endpointChain(port, endpoint.text) }]));

const HOST_MASK = { 4: maskFor(ANY4, 32), 6: maskFor(ANY6, 128) } as const;

function recent(family: Family, name: string, command: "set" | "rcheck", seconds?: number): Match {
  return {
    kind: "recent",
    command,
    negated: false,
    ...(seconds === undefined ? {} : { seconds }),
    reap: seconds !== undefined,
    rttl: false,
    name,
    mask: HOST_MASK[family],
    side: "source",
  };
}

/** KUBE-SEP-…: masquerade what an endpoint sends to itself, remember the client, translate. */
export function writeEndpointChain(sync: Sync, port: ProxyServicePort, { endpoint, chain }: EndpointChain): void {
  const { nat, terse, view } = sync;
  const origin = derived(`kube-proxy's rules for ${port.name}`, endpoint.origin);
  const about: readonly Match[] = terse ? [] : [comment(port.name)];
  nat.append(chain, { ...fromHost(endpoint.address), matches: about, target: jump(MARK_MASQ) }, origin);
  const remember = port.affinitySeconds === undefined ? [] : [recent(view.family, chain, "set")];
  const { address, port: number } = endpoint;
  nat.append(
    chain,
    {
      protocol: is(port.protocol),
      matches: [...about, ...remember, transport(port.protocol)],
      target: {
        kind: "dnat",
        to: { addresses: { from: address, to: address }, ports: { from: number, to: number } },
        random: false,
        randomFully: false,
        persistent: false,
      },
    },
    origin,
  );
}

const ONE = 0x80000000;
/** kube-proxy prints ten digits (computeProbability), iptables keeps 31 bits. */
const probability = (n: number): number => Math.round(Number((1 / n).toFixed(10)) * ONE);

/** What a balancing rule is called, which changed over time. */
export type BalancingComment = (endpoint: ProxyEndpoint, index: number) => readonly Match[];

export function balancingComment(sync: Sync, port: ProxyServicePort): BalancingComment {
  if (sync.terse) return () => [];
  if (isSince(sync.view.version, 24)) return (e) => [comment(`${port.name} -> ${e.text}`)];
  return () => [comment(port.name)];
}

/** Follows writeServiceToEndpointRules(): clients that were here before go where they went, others to each with equal chance. */
export function writeBalancing(
  sync: Sync,
  port: ProxyServicePort,
  chain: string,
  endpoints: readonly EndpointChain[],
  affinityOrigin: Origin,
  about: BalancingComment = balancingComment(sync, port),
  aboutAffinity: BalancingComment = about,
): void {
  const { nat, view } = sync;
  if (port.affinitySeconds !== undefined) {
    for (const [i, { endpoint, chain: sep }] of endpoints.entries()) {
      const stuck = recent(view.family, sep, "rcheck", port.affinitySeconds);
      nat.append(chain, { matches: [...aboutAffinity(endpoint, i), stuck], target: jump(sep) }, affinityOrigin);
    }
  }
  const rule = `kube-proxy's rules for ${port.name}`;
  for (const [i, { endpoint, chain: sep }] of endpoints.entries()) {
    const left = endpoints.length - i;
    const chance: readonly Match[] =
      left === 1 ? [] : [{ kind: "statistic", mode: "random", probability: probability(left), negated: false }];
    const matches = [...about(endpoint, i), ...chance];
    nat.append(chain, { matches, target: jump(sep) }, derived(rule, endpoint.origin));
  }
}
