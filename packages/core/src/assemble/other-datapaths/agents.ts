import type { KubernetesPod, Labels, OtherDatapath } from "../../model/index.ts";

const isAgent =
  (label: string, value: string, name: RegExp) =>
  ({ labels, name: pod }: KubernetesPod): boolean =>
    (labels as Labels | undefined)?.[label] === value || (labels === undefined && name.test(pod));

const cilium = isAgent("k8s-app", "cilium", /^cilium-[a-z0-9]{5}$/);
const antrea = isAgent("component", "antrea-agent", /^antrea-agent-[a-z0-9]{5}$/);
const ovn = isAgent("app", "ovnkube-node", /^ovnkube-node-[a-z0-9]{5}$/);
const kubeProxy = isAgent("k8s-app", "kube-proxy", /^kube-proxy-[a-z0-9]{5}$/);

/**
 * The datapaths whose agents run in the cluster, where nobody showed how they are set up. Without kube-proxy beside it, Cilium has
 * taken its place.
 */
export function datapathsOfAgents(pods: readonly KubernetesPod[]): readonly OtherDatapath[] {
  const found: OtherDatapath[] = [];
  const proxied = pods.some(kubeProxy);
  const agent = pods.find(cilium);
  if (agent !== undefined) {
    const beside = { services: "pods", sockets: "none", cards: false } as const;
    const instead = { services: "all", sockets: "all", cards: true } as const;
    found.push({ owner: "Cilium", ...(proxied ? beside : instead), origin: agent.origin });
  }
  const switching = pods.find(antrea);
  if (switching !== undefined)
    found.push({ owner: "Antrea", services: "pods", sockets: "none", cards: false, origin: switching.origin });
  const ovnNode = pods.find(ovn);
  if (ovnNode !== undefined)
    found.push({ owner: "OVN-Kubernetes", services: "all", sockets: "none", cards: true, origin: ovnNode.origin });
  return found;
}
