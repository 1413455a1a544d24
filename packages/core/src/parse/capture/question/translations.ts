import type { CaseFile, IptablesTable, KubernetesObjects, Rule } from "../../../model/index.ts";
import { type Address, applyMask, formatAddress, hasPorts, inRange } from "../../../net/index.ts";
import type { Dump } from "../../case/dump.ts";

/** An address and port that packets go to; without a port, any. */
export interface End {
  readonly address: Address;
  readonly port?: number;
}

/** Destinations followed: a Service of more endpoints is met by what its packets have in common. */
const MAX_ENDS = 4096;
/** Destinations looked for in rules and objects; what is behind an endpoint is seldom translated again. */
const MAX_SEARCHES = 64;

const keyOf = (end: End): string => `${formatAddress(end.address)} ${end.port ?? ""}`;
const isAt = (end: End, address: Address, port: number): boolean =>
  end.address === address && (end.port === undefined || end.port === port);

type Facts = Dump["reading"]["facts"][number];
type FactsOf<K extends Facts["kind"]> = Extract<Facts, { readonly kind: K }>;

/** The given destinations and all that they can become, by whatever translates them, one after another. */
export function translationsOf(
  requested: readonly End[],
  protocol: number,
  objects: readonly KubernetesObjects[],
  dumps: readonly Dump[],
  caseFile: CaseFile | undefined,
): readonly End[] {
  const facts = dumps.flatMap((d) => d.reading.facts);
  const of = <K extends Facts["kind"]>(kind: K): readonly FactsOf<K>[] =>
    facts.filter((f): f is FactsOf<K> => f.kind === kind);
  const tables = of("iptables").flatMap((f) => f.tables.filter((t) => t.name === "nat"));
  const virtual = of("ipvs").flatMap((f) => f.services);
  const balanced = of("ipvs-connections").flatMap((f) => f.connections);
  const tracked = of("conntrack").flatMap((f) => f.entries);
  const next = (end: End): readonly End[] => [
    ...byServices(end, protocol, objects),
    ...virtual.flatMap(({ key, realServers }) =>
      key.kind === "address" && key.protocol === protocol && isAt(end, key.address, key.port) ? realServers : [],
    ),
    ...balanced.flatMap((c) => (isAt(end, c.virtual, c.virtualPort) ? [{ address: c.real, port: c.realPort }] : [])),
    ...tracked.flatMap(({ original, reply }) =>
      original.protocol === protocol && isAt(end, original.dst, original.dport)
        ? [{ address: reply.src, ...(hasPorts(protocol) ? { port: reply.sport } : {}) }]
        : [],
    ),
    ...tables.flatMap((table) => byRules(end, protocol, table)),
    ...byBalancers(end, objects, caseFile),
  ];
  const found = new Map(requested.map((end) => [keyOf(end), end]));
  let searches = 0;
  for (const end of found.values()) {
    if (++searches > MAX_SEARCHES) break;
    for (const { address, port } of next(end)) {
      const into = { address, ...(port === undefined ? {} : { port }) };
      if (found.size < MAX_ENDS && !found.has(keyOf(into))) found.set(keyOf(into), into);
    }
  }
  return [...found.values()];
}

/** A Service's endpoints, where the end is one of its addresses or its node port. */
function byServices(end: End, protocol: number, objects: readonly KubernetesObjects[]): readonly End[] {
  return objects.flatMap(({ services }) =>
    services.flatMap((s) => {
      const addresses = [...s.clusterIps, ...s.externalIps, ...s.loadBalancerIps, ...(s.proxyLoadBalancerIps ?? [])];
      const own = addresses.some((a) => a === end.address);
      const ports = s.ports.filter(
        (p) =>
          (p.protocol === protocol || !hasPorts(protocol)) &&
          ((own && (end.port === undefined || p.port === end.port)) ||
            (end.port !== undefined && p.nodePort === end.port)),
      );
      if (ports.length === 0) return [];
      const names = new Set(ports.map((p) => p.name ?? ""));
      return objects.flatMap((o) =>
        o.endpoints
          .filter((e) => e.namespace === s.namespace && (e.service ?? e.name) === s.name)
          .flatMap((e) => {
            const fit = e.ports.filter((p) => names.has(p.name ?? "") || e.ports.length === 1);
            return e.endpoints.flatMap((x) =>
              x.addresses.flatMap((address) =>
                fit.map((p) => ({ address, ...(p.port === undefined ? {} : { port: p.port }) })),
              ),
            );
          }),
      );
    }),
  );
}

/** A load balancer hands on to a node port: any of its nodes' addresses. */
function byBalancers(end: End, objects: readonly KubernetesObjects[], caseFile: CaseFile | undefined): readonly End[] {
  const stated = (caseFile?.loadBalancers ?? []).filter((b) => b.address === end.address);
  const nodes = objects.flatMap((o) => o.nodes);
  const behind = stated.flatMap((b) =>
    b.ports
      .filter((p) => end.port === undefined || p.port === end.port)
      .flatMap((p) =>
        b.targets.flatMap((t) =>
          nodes
            .filter((n) => n.name === t.replace(/^node\//, ""))
            .flatMap((n) => n.addresses.map((address) => ({ address, port: p.targetPort }))),
        ),
      ),
  );
  const services = objects
    .flatMap((o) => o.services)
    .filter((s) => [...s.loadBalancerIps, ...(s.proxyLoadBalancerIps ?? [])].some((a) => a === end.address));
  return [
    ...behind,
    ...services.flatMap((s) =>
      s.ports.flatMap(({ port, nodePort }) =>
        nodePort === undefined || (end.port !== undefined && end.port !== port)
          ? []
          : nodes.flatMap((n) => n.addresses.map((address) => ({ address, port: nodePort }))),
      ),
    ),
  ];
}

/** Where rules that name this destination send it, through all the chains they jump to. */
function byRules(end: End, protocol: number, table: IptablesTable): readonly End[] {
  const chains = new Map(table.chains.map((c) => [c.name, c]));
  const found: End[] = [];
  const done = new Set<string>();
  const open: string[] = [];
  const take = ({ target }: Rule): void => {
    if (target.kind === "jump" && !done.has(target.chain)) {
      done.add(target.chain);
      open.push(target.chain);
    } else if (target.kind === "dnat" && target.to.addresses !== undefined) {
      const port = target.to.ports?.from ?? end.port;
      found.push({ address: target.to.addresses.from, ...(port === undefined ? {} : { port }) });
    }
  };
  for (const chain of table.chains) for (const rule of chain.rules) if (names(rule, end, protocol)) take(rule);
  for (let name = open.pop(); name !== undefined && found.length < MAX_ENDS; name = open.pop())
    for (const rule of chains.get(name)?.rules ?? []) take(rule);
  return found;
}

/** Whether a rule is about this destination by its address or its port. */
function names({ destination, protocol: of, matches }: Rule, end: End, protocol: number): boolean {
  if (of !== undefined && !of.negated && of.value !== 0 && of.value !== protocol) return false;
  let named = false;
  if (destination !== undefined && !destination.negated) {
    const { address, mask } = destination.value;
    if (typeof address !== typeof end.address) return false;
    if (applyMask(end.address, mask) !== address) return false;
    named = true;
  }
  for (const match of matches) {
    if (match.kind === "tcp" || match.kind === "udp" || match.kind === "sctp") {
      if (match.dport === undefined || match.dport.negated || end.port === undefined) continue;
      if (!inRange(match.dport.value, end.port)) return false;
      named = true;
    } else if (match.kind === "multiport" && match.direction !== "source" && !match.negated && end.port !== undefined) {
      const { port } = end;
      if (!match.ports.some((r) => inRange(r, port))) return false;
      named = true;
    }
  }
  return named;
}
