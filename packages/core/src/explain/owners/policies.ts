import type {
  Chain,
  IptablesTable,
  KubernetesNetworkPolicy,
  KubernetesPod,
  LabelSelector,
  Packet,
  Rule,
  World,
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
  const way = wayOf(chain.name);
  const named = calico(table, chain, way) ?? kubeRouter(table, chain);
  const pod = podOf(world, packet, way);
  const name = named?.pod ?? (pod === undefined ? undefined : `${pod.namespace}/${pod.name}`);
  const own = named?.policies ?? [];
  const policies = own.length > 0 || pod === undefined ? own : selecting(world, pod, way);
  return { ...(name !== undefined && { pod: name }), policies: [...new Set(policies)] };
}

/** Calico's chains of a pod's interface say which way the packet goes: to the workload, or from it. */
const wayOf = (chain: string): Way | undefined =>
  /^cali-(?:tw|pi|pri)-/.test(chain) ? "Ingress" : /^cali-(?:fw|po|pro)-/.test(chain) ? "Egress" : undefined;

const comments = (rule: Rule): readonly string[] => rule.matches.flatMap((m) => (m.kind === "comment" ? [m.text] : []));
const jumps = (chain: Chain): readonly { readonly rule: Rule; readonly to: string }[] =>
  chain.rules.flatMap((rule) => (rule.target.kind === "jump" ? [{ rule, to: rule.target.chain }] : []));

/** `Policy shop/knp.default.allow-web ingress`, on the rules of the chain or of those it jumps to. */
function calico(table: IptablesTable, chain: Chain, way: Way | undefined): EnforcedPolicies | undefined {
  if (!chain.name.startsWith("cali-")) return undefined;
  const targets = new Set(jumps(chain).map((j) => j.to));
  const chains = table.chains.filter((c) => c === chain || (targets.has(c.name) && /^cali-p[io]-/.test(c.name)));
  const found = chains.flatMap((c) =>
    c.rules.flatMap(comments).flatMap((text) => {
      const match = /^Policy (\S{1,520}) (ingress|egress)\b/.exec(text);
      if (match === null || (way !== undefined && match[2] !== way.toLowerCase())) return [];
      return [policyName(match[1]!)];
    }),
  );
  return { policies: found };
}

/** Calico calls a NetworkPolicy of Kubernetes `knp.default.NAME`, after its namespace; its own keep their names. */
function policyName(text: string): string {
  const name = text.replace(/(^|\/)knp\.default\./, "$1");
  return name.replace(/^default\/(?=[^/]+\/)/, "");
}

/** `run through nw policy NAME` on the jumps of a pod's chain, and the pod in the rule that rejects what is left. */
function kubeRouter(table: IptablesTable, chain: Chain): EnforcedPolicies | undefined {
  if (!/^KUBE-(?:POD-FW|NWPLCY)-/.test(chain.name)) return undefined;
  const all = table.chains.flatMap((c) => c.rules);
  const reaching = all.filter((r) => r.target.kind === "jump" && r.target.chain === chain.name);
  const texts = [...chain.rules, ...reaching].flatMap(comments);
  const pod = texts.map((t) => /POD name:\s*(\S{1,253}) namespace:\s*(\S{1,253})/.exec(t)).find((m) => m !== null);
  const policies = texts.flatMap((t) => /run through nw policy (\S{1,253})/.exec(t)?.[1] ?? []);
  const namespace = pod?.[2];
  return {
    ...(pod !== undefined && { pod: `${pod[2]}/${pod[1]}` }),
    policies: policies.map((p) => (namespace === undefined || p.includes("/") ? p : `${namespace}/${p}`)),
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
