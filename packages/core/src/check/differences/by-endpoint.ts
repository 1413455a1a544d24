import type { ProxyInput } from "../../kubernetes/index.ts";
import { text } from "../../messages/index.ts";
import { type KubernetesEndpoint, type KubernetesEndpoints, proxyNftName } from "../../model/index.ts";
import { type Address, familyOf, formatAddress, parseAddress } from "../../net/index.ts";
import type { Actual } from "./actual.ts";
import type { Draft } from "./draft.ts";
import { endpointsOf } from "./nft-endpoints.ts";
import { serviceOf, translationOf } from "./rule-texts.ts";

/** Endpoints that are tried, and clusters in which they are: each one is a whole cluster programmed anew. */
const MAX_TRIED = 16;
const MAX_SERVICES = 1000;

/** One endpoint that the node goes by and the objects do not have, or the other way round. */
interface Candidate {
  readonly service: string;
  readonly address: Address;
  readonly kind: "missing" | "stray";
  /** The objects as they would be if the node were right. */
  readonly inputs: readonly ProxyInput[];
}

/**
 * Where one endpoint makes several differences (its Service is served at several addresses and ports, or has no other and should be
 * refused), it is named instead. Tried out: were it in the objects as it is on the node, they would be gone.
 */
export function byEndpoint(
  drafts: readonly Draft[],
  input: ProxyInput,
  actual: Actual,
  differences: (input: ProxyInput) => readonly Draft[],
): readonly Draft[] {
  if (drafts.length < 2 || input.services.length > MAX_SERVICES) return drafts;
  const named = new Set(drafts.flatMap((d) => (d.service === undefined ? [] : [d.service.split(":")[0]!])));
  let best: { readonly candidate: Candidate; readonly input: ProxyInput; readonly left: readonly Draft[] } | undefined;
  for (const candidate of candidatesOf(named, input, actual).slice(0, MAX_TRIED)) {
    for (const other of candidate.inputs) {
      const left = differences(other);
      if (best === undefined || weightOf(left) < weightOf(best.left)) best = { candidate, input: other, left };
    }
  }
  if (best === undefined || ENDPOINT + weightOf(best.left) >= weightOf(drafts)) return drafts;
  const { left } = best;
  const gone = drafts.filter((d) => !left.some((l) => l.key === d.key));
  return [draftOf(best.candidate, gone), ...byEndpoint(left, best.input, actual, differences)];
}

/** An endpoint explains more than a rule does: a few of them are better than as many rules. */
const ENDPOINT = 1;
const OTHER = 1.5;
const weightOf = (drafts: readonly Draft[]): number =>
  drafts.reduce(
    (n, d) => n + (d.code.startsWith("ENDPOINT_") || d.code.startsWith("REAL_SERVER_") ? ENDPOINT : OTHER),
    0,
  );

function draftOf({ service, address, kind }: Candidate, gone: readonly Draft[]): Draft {
  const endpoint = formatAddress(address);
  const stray = kind === "stray";
  return {
    code: stray ? "ENDPOINT_STRAY" : "ENDPOINT_MISSING",
    text: text(stray ? "difference.endpoint-stray" : "difference.endpoint-missing", { service, endpoint }),
    key: `endpoint ${service} ${endpoint}`,
    service,
    endpoint,
    expected: gone.flatMap((d) => d.expected),
    actual: gone.flatMap((d) => d.actual),
  };
}

function candidatesOf(named: ReadonlySet<string>, input: ProxyInput, actual: Actual): readonly Candidate[] {
  const used = usedBy(named, input, actual);
  const out: Candidate[] = [];
  for (const service of named) {
    const own = input.endpoints.filter((e) => `${e.namespace}/${e.service}` === service);
    const listed = own.flatMap((e) => e.endpoints.flatMap((i) => i.addresses));
    const there = used.get(service) ?? [];
    for (const address of there)
      if (!listed.some((a) => a === address))
        out.push({ service, address, kind: "stray", inputs: withEndpoint(input, service, own, address) });
    for (const address of listed)
      if (!there.some((a) => a === address))
        out.push({ service, address, kind: "missing", inputs: [withoutEndpoint(input, own, address)] });
  }
  return out;
}

/** The addresses to which the node sends packets for a Service. */
function usedBy(
  named: ReadonlySet<string>,
  input: ProxyInput,
  actual: Actual,
): ReadonlyMap<string, readonly Address[]> {
  const out = new Map<string, Address[]>();
  const add = (service: string, address: Address | undefined): void => {
    if (address === undefined || !named.has(service)) return;
    const known = out.get(service) ?? [];
    if (!known.some((a) => a === address)) known.push(address);
    out.set(service, known);
  };
  for (const table of actual.tables) {
    for (const chain of table.chains) {
      for (const rule of chain.rules) {
        const to = translationOf(rule);
        const service = to === undefined ? undefined : serviceOf([rule])?.split(":")[0];
        if (to !== undefined && service !== undefined) add(service, parseAddress(to.replace(/^\[|\]?:\d+$/g, "")));
      }
    }
  }
  for (const table of actual.nft) {
    for (const chain of table.chains) {
      const about = proxyNftName(chain.name);
      if (about?.role !== "service" && about?.role !== "local") continue;
      for (const to of endpointsOf(table, chain)?.endpoints.keys() ?? [])
        add(about.service.split(":")[0]!, parseAddress(to.replace(/^\[|\]?:\d+$/g, "")));
    }
  }
  for (const { key, realServers } of actual.servers?.items ?? []) {
    if (key.kind !== "address") continue;
    for (const s of input.services) {
      const own = [...s.clusterIps, ...s.loadBalancerIps, ...s.externalIps].some((a) => a === key.address);
      if (own || s.ports.some((p) => p.nodePort === key.port))
        for (const r of realServers) add(`${s.namespace}/${s.name}`, r.address);
    }
  }
  return out;
}

const withoutEndpoint = (input: ProxyInput, own: readonly KubernetesEndpoints[], address: Address): ProxyInput => ({
  ...input,
  endpoints: input.endpoints.map((e) =>
    own.includes(e) ? { ...e, endpoints: e.endpoints.filter((i) => !i.addresses.some((a) => a === address)) } : e,
  ),
});

/** On this node or on another, ready or on its way out: what the node's rules may depend on. */
function withEndpoint(
  input: ProxyInput,
  service: string,
  own: readonly KubernetesEndpoints[],
  address: Address,
): readonly ProxyInput[] {
  const slice = own.find((e) => e.family === familyOf(address));
  if (slice === undefined) return [];
  const [namespace] = service.split("/");
  const added = (nodeName: string | undefined, terminating = false): ProxyInput => {
    const endpoint: KubernetesEndpoint = {
      addresses: [address],
      ready: !terminating,
      serving: true,
      terminating,
      ...(nodeName !== undefined && { nodeName }),
      origin: slice.origin,
    };
    const extra: KubernetesEndpoints = {
      ...slice,
      namespace: namespace!,
      name: `${slice.name}-seen`,
      endpoints: [endpoint],
    };
    return { ...input, endpoints: [...input.endpoints, extra] };
  };
  return [added(input.node.name), added(undefined), added(input.node.name, true), added(undefined, true)];
}
