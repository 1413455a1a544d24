import {
  type Chain,
  calicoPolicies,
  calicoWay,
  type IptablesTable,
  isCalicoPolicyChain,
  type KubernetesNetworkPolicy,
  type KubernetesPod,
  kubeRouterComments,
  type LabelSelector,
  ownerOfChain,
  type Packet,
  type Rule,
  type World,
} from "../../model/index.ts";

/** Whose policies a chain of a CNI enforces. */
export interface EnforcedPolicies {
  /** `NAMESPACE/NAME` of the pod, where it is known. */
  readonly pod?: string;
  /** Names of the policies that select it; none of them allowed the packet. */
  readonly policies: readonly string[];
}

type Way = "Ingress" | "Egress";

/**
 * The NetworkPolicies behind a chain that drops: by the comments that Calico and kube-router write beside their rules, else by
 * the objects that select the pod.
 */
export function policiesBehind(world: World, table: IptablesTable, chain: Chain, packet: Packet): EnforcedPolicies {
  const way = calicoWay(chain.name);
  const named = calico(table, chain, way) ?? kubeRouter(table, chain);
  const pod = podOf(world, packet, way);
  const name = named?.pod ?? (pod === undefined ? undefined : `${pod.namespace}/${pod.name}`);
  const own = named?.policies ?? [];
  const policies = own.length > 0 || pod === undefined ? own : selecting(world, pod, way);
  return { ...(name !== undefined && { pod: name }), policies: [...new Set(policies)] };
}

const jumps = (chain: Chain): readonly { readonly rule: Rule; readonly to: string }[] =>
  chain.rules.flatMap((rule) => (rule.target.kind === "jump" ? [{ rule, to: rule.target.chain }] : []));

/** By the rules of the chain or of those it jumps to. */
function calico(table: IptablesTable, chain: Chain, way: Way | undefined): EnforcedPolicies | undefined {
  if (ownerOfChain(chain.name) !== "calico") return undefined;
  const targets = new Set(jumps(chain).map((j) => j.to));
  const chains = table.chains.filter((c) => c === chain || (targets.has(c.name) && isCalicoPolicyChain(c.name)));
  const found = chains.flatMap((c) => c.rules.flatMap(calicoPolicies));
  return { policies: found.filter((f) => way === undefined || f.way === way).map((f) => f.policy) };
}

function kubeRouter(table: IptablesTable, chain: Chain): EnforcedPolicies | undefined {
  if (ownerOfChain(chain.name) !== "kube-router") return undefined;
  const all = table.chains.flatMap((c) => c.rules);
  const reaching = all.filter((r) => r.target.kind === "jump" && r.target.chain === chain.name);
  const { pod, policies } = kubeRouterComments([...chain.rules, ...reaching]);
  return {
    ...(pod !== undefined && { pod: `${pod.namespace}/${pod.name}` }),
    policies: policies.map((p) => (pod === undefined || p.includes("/") ? p : `${pod.namespace}/${p}`)),
  };
}

function podOf({ kubernetes }: World, { src, dst }: Packet, way: Way | undefined): KubernetesPod | undefined {
  const at = (address: Packet["src"]) =>
    kubernetes.pods.find((p) => !p.hostNetwork && p.addresses.some((a) => a === address));
  if (way !== undefined) return at(way === "Ingress" ? dst : src);
  return at(dst) ?? at(src);
}

const selecting = ({ kubernetes }: World, pod: KubernetesPod, way: Way | undefined): readonly string[] =>
  kubernetes.networkPolicies
    .filter(
      (p: KubernetesNetworkPolicy) => p.namespace === pod.namespace && (way === undefined || p.types.includes(way)),
    )
    .filter((p) => selects(p.pods, pod.labels ?? {}))
    .map((p) => `${p.namespace}/${p.name}`);

/** Follows LabelSelectorAsSelector(): all must hold; an operator nobody knows selects nothing for sure. */
function selects({ labels, expressions }: LabelSelector, of: Readonly<Record<string, string>>): boolean {
  if (!Object.entries(labels).every(([k, v]) => of[k] === v)) return false;
  return expressions.every(({ key, operator, values }) => {
    const value = of[key];
    switch (operator) {
      case "In":
        return value !== undefined && values.includes(value);
      case "NotIn":
        return value === undefined || !values.includes(value);
      case "Exists":
        return value !== undefined;
      case "DoesNotExist":
        return value === undefined;
      default:
        return false;
    }
  });
}
