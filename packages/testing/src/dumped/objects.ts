import { NEWEST_MODELLED } from "@hairpin/core/kubernetes/index.ts";
import {
  type DumpCluster,
  endpointsOf,
  network,
  nodeAddress,
  nodeName,
  PORT,
  podAddress,
  podsOn,
  serviceAddress,
  serviceName,
} from "./given.ts";

/** Nodes, pods, and the Services from one number to another. */
export function objectsOf(given: DumpCluster, from: number, to: number): string {
  const items: unknown[] = [];
  for (let n = 0; n < given.nodes; n++)
    items.push({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: nodeName(n) },
      spec: given.network === "eni" ? {} : { podCIDR: `${network(n)}.0/24` },
      status: {
        addresses: [{ type: "InternalIP", address: nodeAddress(n) }],
        conditions: [{ type: "Ready", status: "True" }],
        nodeInfo: { kernelVersion: "6.8.0-generic", kubeletVersion: `v1.${NEWEST_MODELLED.minor}.0` },
      },
    });
  for (let n = 0; n < given.nodes; n++)
    for (let p = 0; p < podsOn(given, n); p++)
      items.push({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: `pod-${n}-${p}`, namespace: "shop-production", labels: { app: `${p}` } },
        spec: { nodeName: nodeName(n), containers: [{ name: "c", ports: [{ containerPort: PORT }] }] },
        status: { podIP: podAddress(n, p), podIPs: [{ ip: podAddress(n, p) }], phase: "Running" },
      });
  for (let s = from; s < to; s++) items.push(...serviceOf(given, s));
  return JSON.stringify({ apiVersion: "v1", kind: "List", items }, undefined, 1);
}

function serviceOf(given: DumpCluster, s: number): readonly unknown[] {
  const isLocal = s >= given.services - given.local;
  const name = serviceName(s);
  const port = { name: "http", protocol: "TCP", port: 80, targetPort: PORT };
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace: "shop-production" },
      spec: {
        type: isLocal ? "NodePort" : "ClusterIP",
        clusterIP: serviceAddress(s),
        clusterIPs: [serviceAddress(s)],
        ipFamilies: ["IPv4"],
        ...(isLocal && { externalTrafficPolicy: "Local" }),
        ports: [isLocal ? { ...port, nodePort: 30_000 + given.services - 1 - s } : port],
      },
    },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: `${name}-x`, namespace: "shop-production", labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      ports: [{ name: "http", protocol: "TCP", port: PORT }],
      endpoints: endpointsOf(given, s).map((e) => ({
        addresses: [podAddress(e.node, e.pod)],
        conditions: { ready: true },
        nodeName: nodeName(e.node),
        targetRef: { kind: "Pod", namespace: "shop-production", name: `pod-${e.node}-${e.pod}` },
      })),
    },
  ];
}
