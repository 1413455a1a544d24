import { SWEPT_4, SWEPT_6 } from "../swept-addresses.ts";

/** What a Service of a generated cluster may be beside a plain one. */
export const TRAITS = [
  "external-addresses",
  "balancer-addresses",
  "source-ranges",
  "affinity",
  "inside-local",
  "outside-local",
  "on-host-network",
  "on-one-node",
  "two-ports",
  "one-is-not-ready",
  "one-is-terminating",
] as const;
export type Trait = (typeof TRAITS)[number];

export interface SweptService {
  readonly name: string;
  readonly number: number;
  readonly family: 4 | 6;
  readonly nodePort: number | undefined;
  readonly isLocal: boolean;
  readonly ends: readonly { readonly node: number; readonly pod: number }[];
  readonly traits: readonly Trait[];
  readonly nodeName: (n: number) => string;
}

const PORT = 8080;

/** The object of one Service and its slice of endpoints; the first is the cluster's DNS. */
export function sweptService({
  name,
  number: s,
  family,
  nodePort,
  isLocal,
  ends,
  traits,
  nodeName,
}: SweptService): string {
  const is = (trait: Trait): boolean => traits.includes(trait);
  const { pod, node, podNetwork, service: own } = family === 6 ? SWEPT_6 : SWEPT_4;
  const outside = (n: number): string => (family === 6 ? `fd00:77::${s}:${n}` : `10.0.77.${10 * s + n}`);
  const [namespace, proto, port] = s === 0 ? ["kube-system", "UDP", 53] : ["shop", "TCP", 80];
  const isBalanced = is("balancer-addresses") || is("source-ranges");
  const exposed = nodePort !== undefined;
  const isExposed = exposed || isBalanced;
  const second = is("two-ports");
  const portOf = (n: number): string =>
    exposed ? `, nodePort: ${nodePort + n}` : isBalanced ? `, nodePort: ${30_500 + 10 * s + n}` : "";
  const ports = [
    `{ name: p, protocol: ${proto}, port: ${port}, targetPort: ${PORT}${portOf(0)} }`,
    ...(second ? [`{ name: q, protocol: TCP, port: 81, targetPort: 9090${portOf(100)} }`] : []),
  ];
  const places = is("on-one-node") && ends[0] !== undefined ? ends.map((e) => ({ ...e, node: ends[0]!.node })) : ends;
  const all = places.filter((e, i) => places.findIndex((o) => o.node === e.node && o.pod === e.pod) === i);
  const slices = all.map((e, i) => {
    const address = is("on-host-network") ? node(e.node) : pod(e.node, e.pod);
    const conditions =
      i === 0 && is("one-is-not-ready")
        ? "ready: false"
        : i === 0 && is("one-is-terminating")
          ? "ready: false, serving: true, terminating: true"
          : "ready: true";
    const target = is("on-host-network")
      ? ""
      : `, targetRef: { kind: Pod, namespace: shop, name: pod-${e.node}-${e.pod} }`;
    return `  - { addresses: ["${address}"], conditions: { ${conditions} }, nodeName: ${nodeName(e.node)}${target} }\n`;
  });
  const lines = [
    `type: ${isBalanced ? "LoadBalancer" : exposed ? "NodePort" : "ClusterIP"}`,
    `clusterIP: "${own(s)}"`,
    `clusterIPs: ["${own(s)}"]`,
    `ipFamilies: [IPv${family}]`,
    ...(isLocal || (isExposed && is("outside-local")) ? ["externalTrafficPolicy: Local"] : []),
    ...(is("inside-local") ? ["internalTrafficPolicy: Local"] : []),
    ...(is("affinity") ? ["sessionAffinity: ClientIP"] : []),
    ...(is("external-addresses") ? [`externalIPs: ["${outside(1)}", "${outside(2)}"]`] : []),
    ...(is("source-ranges")
      ? [`loadBalancerSourceRanges: ["${podNetwork(0)}", "${node(1)}/${family === 6 ? 128 : 32}"]`]
      : []),
    `ports: [${ports.join(", ")}]`,
  ];
  const status = isBalanced
    ? `  status: { loadBalancer: { ingress: [{ ip: "${outside(3)}" }, { ip: "${outside(4)}" }] } }\n`
    : "";
  return `- apiVersion: v1
  kind: Service
  metadata: { name: ${name}, namespace: ${namespace} }
  spec:
${lines.map((l) => `    ${l}\n`).join("")}${status}- apiVersion: discovery.k8s.io/v1
  kind: EndpointSlice
  metadata: { name: ${name}-x, namespace: ${namespace}, labels: { kubernetes.io/service-name: ${name} } }
  addressType: IPv${family}
  ports: [{ name: p, protocol: ${proto}, port: ${PORT} }${second ? ", { name: q, protocol: TCP, port: 9090 }" : ""}]
  endpoints:${slices.length === 0 ? " []\n" : `\n${slices.join("")}`}`;
}
