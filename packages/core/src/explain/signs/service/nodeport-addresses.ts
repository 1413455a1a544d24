import { text } from "../../../messages/index.ts";
import type { KubernetesNode } from "../../../model/index.ts";
import { type Address, contains, familyOf, formatAddress, parsePrefix } from "../../../net/index.ts";
import type { Look, Sign } from "../../sign.ts";
import { suspect } from "../claim.ts";

/** What `primary` stands for: the first address of each family (NewNodePortAddresses()). */
export const primaryOf = ({ addresses }: Pick<KubernetesNode, "addresses">): readonly Address[] =>
  addresses.filter((a, i) => addresses.findIndex((b) => familyOf(b) === familyOf(a)) === i);

/** Whether kube-proxy, so configured, serves NodePorts on the called address; undefined: it does not say. */
function serves(
  { question, world }: Look,
  addresses: readonly string[],
  mode: string | undefined,
): boolean | undefined {
  const primary = world.kubernetes.nodes.some((n) => primaryOf(n).includes(question.to));
  const wanted = addresses.length === 0 && mode === "nftables" ? ["primary"] : addresses;
  if (wanted.length === 0) return undefined;
  return wanted.some((w) => {
    const prefix = w === "primary" ? undefined : parsePrefix(w);
    return w === "primary" ? primary : prefix !== undefined && contains(prefix, question.to);
  });
}

/** kube-proxy's own configuration keeps NodePorts off the called address. Guard: only for a port that a Service has as its NodePort. */
export const nodeportAddressesConfigured: Sign = {
  codes: ["NODEPORT_ADDRESSES"],
  detect: (look) => {
    const { question, world } = look;
    const service = world.kubernetes.services.find((s) =>
      s.ports.some((p) => p.nodePort === question.port && p.protocol === question.protocol),
    );
    const config = world.kubernetes.kubeProxyConfigs.find((c) => serves(look, c.nodePortAddresses, c.mode) === false);
    const virtual = world.kubernetes.services.some((s) =>
      [...s.clusterIps, ...s.loadBalancerIps, ...s.externalIps].some((a) => a === question.to),
    );
    if (service === undefined || config === undefined || virtual) return [];
    return [
      suspect({
        code: "NODEPORT_ADDRESSES",
        stack: question.client,
        certainty: "inferred",
        summary: text("cause.nodeport_addresses.configured", {
          port: question.port,
          address: formatAddress(question.to),
          addresses: config.nodePortAddresses.length === 0 ? ["primary"] : config.nodePortAddresses,
        }),
        evidence: [config.origin, service.origin],
        step: "kube-proxy",
        check: {
          text: text("check.nodeport-addresses"),
          command: "kubectl -n kube-system get configmap kube-proxy -o yaml | grep -A5 nodePortAddresses",
        },
      }),
    ];
  },
};
