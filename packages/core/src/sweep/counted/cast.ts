import { madePort, PORT_PREFIX } from "../../assemble/index.ts";
import { type KubernetesService, linesOf, type Origin } from "../../model/index.ts";
import { type Address, formatAddress } from "../../net/index.ts";
import type { Flow } from "../plan.ts";
import type { Balanced } from "./balanced.ts";
import { type Census, type Host, virtualOf } from "./census.ts";
import type { Offer } from "./service.ts";

/** A line, as no name is written. */
export const lineWord = (file: string, line: number): string => `\n${file}:${line}`;

/**
 * Whoever takes part in a flow, by name, address, number and line: in an order in which a flow like it has at each place who stands there
 * for the same. A place without a word is empty.
 */
export function castOf(
  census: Census,
  { source, target }: Flow,
  offer: Offer | undefined,
  balanced: Balanced | undefined,
): readonly string[] {
  const cast: string[] = [];
  const say = (...words: readonly (string | number | undefined)[]): void => {
    for (const word of words) cast.push(word === undefined ? "" : String(word));
  };
  const quote = (...origins: readonly (Origin | undefined)[]): void => {
    for (const origin of origins) {
      const [line] = origin === undefined ? [] : linesOf(origin);
      say(line && lineWord(line.file, line.line));
    }
  };
  const named = census.objects.kubeProxyConfigs.flatMap((c) => c.interfaceNamePrefix ?? []);
  const prefixes = [PORT_PREFIX, ...named];
  const party = (address: Address): void => {
    const shown = formatAddress(address);
    const pods = census.podsAt(address);
    say(shown, `pod-${shown}`);
    say(...prefixes.map((prefix) => madePort(prefix, pods[0]?.addresses[0] ?? address)));
    for (const pod of pods) {
      // One of a node's own may be the one that is quoted for the whole cluster: an agent.
      if (pod.hostNetwork) continue;
      say(pod.namespace, pod.name);
      quote(pod.origin);
    }
  };
  const hosts = hostsOf(census, source.node, target.node, offer, balanced);
  for (const host of hosts) {
    const { name, addresses, podCidrs, origin, flannel, calico } = host.object;
    say(name, ...addresses.map(formatAddress), ...podCidrs);
    quote(origin, flannel?.origin, calico?.origin);
    for (const { address, endpoint } of offer?.entries.get(host) ?? []) {
      party(address);
      say(endpoint.pod?.namespace, endpoint.pod?.name);
      quote(endpoint.origin);
    }
  }
  for (const { address, endpoint } of offer?.nowhere ?? []) {
    party(address);
    quote(endpoint.origin);
  }
  for (const address of source.addresses) party(address);
  say(source.from, source.namespace ?? undefined, target.name ?? undefined, target.namespace ?? undefined, target.port);
  party(target.address);
  for (const service of offer?.together ?? []) {
    sayService(service, say, quote);
    for (const slice of census.slicesOf(service)) {
      say(slice.name);
      quote(slice.origin);
    }
  }
  for (const { address, hostname, origin } of offer?.balancers ?? []) {
    say(formatAddress(address), hostname);
    quote(origin);
  }
  for (const pod of offer?.selected ?? []) {
    say(pod.namespace, pod.name, ...pod.addresses.map(formatAddress));
    quote(pod.origin);
  }
  return cast;
}

function sayService(
  service: KubernetesService,
  say: (...words: readonly (string | number | undefined)[]) => void,
  quote: (...origins: readonly (Origin | undefined)[]) => void,
): void {
  const {
    namespace,
    name,
    ports,
    healthCheckNodePort,
    loadBalancerHostnames = [],
    origin,
    fieldOrigins = {},
  } = service;
  say(namespace, name, ...virtualOf(service).map(formatAddress), ...loadBalancerHostnames);
  say(...ports.map((p) => p.nodePort), healthCheckNodePort);
  quote(origin);
  for (const field of Object.keys(fieldOrigins).sort()) quote(fieldOrigins[field]);
}

/** The client's and the target's nodes, those that stand for all of a load balancer, then the others that host endpoints. */
function hostsOf(
  census: Census,
  source: string | null,
  target: string | null,
  offer: Offer | undefined,
  balanced: Balanced | undefined,
): ReadonlySet<Host> {
  const ends = [source, target].map((name) => (name === null ? undefined : census.host(name)));
  const first = new Set<Host>([...ends, ...(balanced?.hosts ?? [])].filter((h) => h !== undefined));
  const rest = [...(offer?.places ?? [])].filter(([host]) => !first.has(host));
  // Of those that are alike in the order in which kube-proxy writes their endpoints.
  const firstOf = new Map(rest.map(([host]) => [host, textOf(offer?.entries.get(host)?.[0]?.address)]));
  rest.sort(([a, x], [b, y]) => x - y || order(firstOf.get(a)!, firstOf.get(b)!));
  return new Set([...first, ...rest.map(([host]) => host)]);
}

const textOf = (address: Address | undefined): string => (address === undefined ? "" : formatAddress(address));
const order = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
