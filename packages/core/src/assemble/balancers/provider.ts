import type { Forwarding, KubernetesNode, KubernetesPod, KubernetesService } from "../../model/index.ts";

/** What a load balancer of one maker does with packets for one Service. */
export interface Habits {
  /** Who makes it, and which of its kinds: for the list of assumptions. */
  readonly provider: string;
  /** What tells so. */
  readonly told: string;
  readonly forwarding: Forwarding;
  readonly preserveClient: boolean | "?";
  /** One node at a time takes all. */
  readonly oneAtATime?: boolean;
  /** When no target passes its health check, every one gets packets. */
  readonly failsOpen?: boolean;
  /** Reached from inside only. */
  readonly internal?: boolean;
}

export interface Cluster {
  readonly nodes: readonly KubernetesNode[];
  readonly pods: readonly KubernetesPod[];
}

/** One maker: undefined where nothing tells that the Service's balancer is one of his. */
export type Provider = (service: KubernetesService, cluster: Cluster) => Habits | undefined;

const BETA = "service.beta.kubernetes.io/";

/** The value of the first of these annotations that the Service has; a bare name is one of `service.beta.kubernetes.io/`. */
export function annotation({ annotations }: KubernetesService, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = annotations?.[name.includes("/") ? name : `${BETA}${name}`];
    if (value !== undefined) return value;
  }
  return undefined;
}

/** An annotation whose name begins like this, as a clue. */
export function annotated({ annotations }: KubernetesService, ...prefixes: readonly string[]): string | undefined {
  const full = prefixes.map((p) => (p.includes("/") ? p : `${BETA}${p}`));
  const key = Object.keys(annotations ?? {}).find((k) => full.some((p) => k.startsWith(p)));
  return key === undefined ? undefined : `annotation ${key}`;
}

export const ofClass = ({ loadBalancerClass }: KubernetesService, pattern: RegExp): string | undefined =>
  loadBalancerClass !== undefined && pattern.test(loadBalancerClass)
    ? `loadBalancerClass ${loadBalancerClass}`
    : undefined;

export const hostnamed = ({ loadBalancerHostnames }: KubernetesService, pattern: RegExp): string | undefined => {
  const name = loadBalancerHostnames?.find((h) => pattern.test(h));
  return name === undefined ? undefined : `its name ${name}`;
};

/** The weakest clue: the cloud the nodes are machines of. Another class says that somebody else makes the balancer. */
export const onCloud = (service: KubernetesService, { nodes }: Cluster, pattern: RegExp): string | undefined => {
  if (service.loadBalancerClass !== undefined) return undefined;
  const id = once(nodes, pattern.source, () => nodes.find(({ providerId: p }) => p !== undefined && pattern.test(p)));
  return id === undefined ? undefined : `providerID ${id.providerId}`;
};

/** What was looked up in a list: a cluster has many pods and nodes, and every Service's balancer is asked of them. */
const looked = new WeakMap<readonly unknown[], Map<string, unknown>>();

export function once<T>(list: readonly T[], key: string, find: () => T | undefined): T | undefined {
  const known = looked.get(list) ?? new Map<string, unknown>();
  looked.set(list, known);
  if (!known.has(key)) known.set(key, find());
  return known.get(key) as T | undefined;
}

export const isOn = (value: string | undefined): boolean | undefined =>
  value === undefined ? undefined : /^(?:true|on|yes|1)$/i.test(value.trim());
