import { describe, expect, test } from "vitest";
import { assemble } from "../../../assemble/index.ts";
import type { KubernetesObjects } from "../../../model/index.ts";
import { formatAddress, formatPrefix, parseAddress } from "../../../net/index.ts";
import { readCase } from "../../index.ts";

const read = (text: string, path = "objects.yaml") => {
  const { dumps } = readCase([{ path, text }]);
  return {
    objects: assemble(dumps).world.kubernetes,
    dialects: dumps.map((d) => d.dialect.id),
    problems: dumps.flatMap((d) => d.reading.diagnostics.map((x) => `${x.line} ${x.severity} ${x.code}`)),
    counts: dumps.map((d) => d.reading.counts),
  };
};
const lineOf = (o: KubernetesObjects["services"][number]) => (o.origin.kind === "read" ? o.origin.line : undefined);
const shown = (addresses: readonly Parameters<typeof formatAddress>[0][]) => addresses.map(formatAddress);

const SERVICE = `apiVersion: v1
kind: Service
metadata:
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"v1","kind":"Service"}
  name: gw
  namespace: ingress
spec:
  allocateLoadBalancerNodePorts: true
  clusterIP: 10.96.12.9
  clusterIPs:
  - 10.96.12.9
  - fd00:96::9
  externalIPs:
  - 198.51.100.4
  externalTrafficPolicy: Local
  healthCheckNodePort: 32100
  internalTrafficPolicy: Cluster
  ports:
  - name: https
    nodePort: 31443
    port: 443
    protocol: TCP
    targetPort: web
  - port: 53
    protocol: UDP
    targetPort: 5353
  selector:
    app: gw
  sessionAffinity: ClientIP
  sessionAffinityConfig:
    clientIP:
      timeoutSeconds: 600
  type: LoadBalancer
status:
  loadBalancer:
    ingress:
    - ip: 203.0.113.9
      ipMode: VIP
    - ip: 203.0.113.10
      ipMode: Proxy
`;

describe("Service", () => {
  const expectGateway = (objects: KubernetesObjects) => {
    const [service] = objects.services;
    expect(objects.services).toHaveLength(1);
    expect(service).toMatchObject({
      namespace: "ingress",
      name: "gw",
      type: "LoadBalancer",
      externalTrafficPolicy: "Local",
      internalTrafficPolicy: "Cluster",
      clientIpAffinitySeconds: 600,
      healthCheckNodePort: 32100,
      selector: { app: "gw" },
      ports: [
        { name: "https", protocol: 6, port: 443, targetPort: "web", nodePort: 31443 },
        { protocol: 17, port: 53, targetPort: 5353 },
      ],
    });
    expect(shown(service!.clusterIps)).toEqual(["10.96.12.9", "fd00:96::9"]);
    expect(shown(service!.externalIps)).toEqual(["198.51.100.4"]);
    expect(shown(service!.loadBalancerIps)).toEqual(["203.0.113.9"]);
    expect(shown(service!.proxyLoadBalancerIps ?? [])).toEqual(["203.0.113.10"]);
    return service!;
  };

  test("YAML, with the lines to quote", () => {
    const { objects, problems } = read(SERVICE);
    const service = expectGateway(objects);
    expect(problems).toEqual([]);
    expect(lineOf(service)).toBe(7);
    expect(service.fieldOrigins?.externalTrafficPolicy).toMatchObject({ file: "objects.yaml", line: 17 });
  });

  const OBJECT = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "gw", namespace: "ingress", annotations: { 'odd "key': 'a "quoted": text' } },
    spec: {
      clusterIP: "10.96.12.9",
      clusterIPs: ["10.96.12.9", "fd00:96::9"],
      externalIPs: ["198.51.100.4"],
      externalTrafficPolicy: "Local",
      healthCheckNodePort: 32100,
      internalTrafficPolicy: "Cluster",
      ports: [
        { name: "https", nodePort: 31443, port: 443, protocol: "TCP", targetPort: "web" },
        { port: 53, protocol: "UDP", targetPort: 5353 },
      ],
      selector: { app: "gw" },
      sessionAffinity: "ClientIP",
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 600 } },
      type: "LoadBalancer",
    },
    status: { loadBalancer: { ingress: [{ ip: "203.0.113.9" }, { ip: "203.0.113.10", ipMode: "Proxy" }] } },
  };
  test.each([4, 0])("JSON indented by %i", (indent) => {
    const text = JSON.stringify({ apiVersion: "v1", items: [OBJECT], kind: "List" }, null, indent);
    const { objects, problems } = read(`${text}\n`, "svc.json");
    const service = expectGateway(objects);
    expect(problems).toEqual([]);
    const lines = text.split("\n");
    expect(lines[lineOf(service)! - 1]).toContain('"name": "gw"'.replace(": ", indent === 0 ? ":" : ": "));
    const policy = service.fieldOrigins?.externalTrafficPolicy;
    expect(policy?.kind === "read" && lines[policy.line - 1]).toContain('"externalTrafficPolicy"');
  });

  test("headless, none yet, and what others call a Service", () => {
    const { objects, counts } = read(
      `apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Service\n  metadata:\n    name: h\n  spec:\n    clusterIP: None\n- apiVersion: serving.knative.dev/v1\n  kind: Service\n  metadata:\n    name: k\nkind: List\n`,
    );
    expect(objects.services.map((s) => [s.namespace, s.name, s.headless, s.clusterIps])).toEqual([
      ["default", "h", true, []],
    ]);
    expect(counts).toEqual([{ services: 1, "other objects": 1 }]);
  });
});

describe("endpoints", () => {
  test("EndpointSlice", () => {
    const { objects, problems } = read(`addressType: IPv4
apiVersion: discovery.k8s.io/v1
endpoints:
- addresses:
  - 10.244.1.5
  conditions:
    ready: false
    serving: true
    terminating: true
  hints:
    forZones:
    - name: z1
  nodeName: n1
  targetRef:
    kind: Pod
    name: web-0
    namespace: shop
  zone: z1
- addresses:
  - 10.244.2.5
  conditions: {}
kind: EndpointSlice
metadata:
  labels:
    kubernetes.io/service-name: web
  name: web-abcde
  namespace: shop
ports:
- name: ""
  port: 8080
  protocol: TCP
`);
    expect(problems).toEqual([]);
    expect(objects.endpoints).toMatchObject([
      {
        kind: "EndpointSlice",
        service: "web",
        namespace: "shop",
        family: 4,
        ports: [{ protocol: 6, port: 8080 }],
        endpoints: [
          {
            ready: false,
            serving: true,
            terminating: true,
            nodeName: "n1",
            zone: "z1",
            forZones: ["z1"],
            pod: { namespace: "shop", name: "web-0" },
          },
          { ready: true, serving: true, terminating: false },
        ],
      },
    ]);
    expect(objects.endpoints[0]?.endpoints[1]?.origin).toMatchObject({ line: 20 });
  });

  test("Endpoints: subsets, not ready ones, flow mappings, none at all", () => {
    const { objects, problems } = read(`apiVersion: v1
kind: Endpoints
metadata: {name: web, namespace: shop}
subsets:
- addresses:
  - {ip: "10.244.3.5", nodeName: node-a}
  notReadyAddresses:
  - ip: 10.244.3.6
  ports:
  - {name: https, port: 8443, protocol: TCP}
- addresses:
  - ip: fd00::5
  ports:
  - port: 53
    protocol: UDP
---
apiVersion: v1
kind: Endpoints
metadata:
  name: empty
`);
    expect(problems).toEqual([]);
    expect(
      objects.endpoints.map((e) => [
        e.service,
        e.family,
        e.ports,
        e.endpoints.map((x) => [...shown(x.addresses), x.ready, x.nodeName]),
      ]),
    ).toEqual([
      [
        "web",
        4,
        [{ name: "https", protocol: 6, port: 8443 }],
        [
          ["10.244.3.5", true, "node-a"],
          ["10.244.3.6", false, undefined],
        ],
      ],
      ["web", 6, [{ protocol: 17, port: 53 }], [["fd00::5", true, undefined]]],
      ["empty", 4, [], []],
    ]);
  });
});

test("Node with flannel's and Calico's annotations", () => {
  const { objects, problems } = read(`apiVersion: v1
kind: Node
metadata:
  annotations:
    flannel.alpha.coreos.com/backend-data: '{"VNI":1,"VtepMAC":"3A:4b:00:00:00:01"}'
    flannel.alpha.coreos.com/backend-type: vxlan
    flannel.alpha.coreos.com/public-ip: 192.0.2.11
    projectcalico.org/IPv4Address: 192.0.2.11/24
    projectcalico.org/IPv4IPIPTunnelAddr: 10.244.1.1
  labels:
    topology.kubernetes.io/zone: z1
  name: n1
spec:
  podCIDR: 10.244.1.0/24
  podCIDRs:
  - 10.244.1.0/24
  - fd00:1::/64
status:
  addresses:
  - address: 192.0.2.11
    type: InternalIP
  - address: 198.51.100.11
    type: ExternalIP
  - address: n1
    type: Hostname
  conditions:
  - status: "True"
    type: Ready
  nodeInfo:
    kernelVersion: 6.1.0
    kubeProxyVersion: v1.29.1
    kubeletVersion: v1.29.1
`);
  expect(problems).toEqual([]);
  expect(objects.nodes).toMatchObject([
    {
      name: "n1",
      podCidrs: ["10.244.1.0/24", "fd00:1::/64"],
      ready: true,
      kernel: "6.1.0",
      flannel: { backend: "vxlan", vtepMac: "3a:4b:00:00:00:01", vni: 1, publicAddress: parseAddress("192.0.2.11") },
      calico: { ipipTunnelAddress: parseAddress("10.244.1.1"), address: { length: 24 } },
    },
  ]);
  expect(shown(objects.nodes[0]!.addresses)).toEqual(["192.0.2.11"]);
  expect(shown(objects.nodes[0]!.externalAddresses!)).toEqual(["198.51.100.11"]);
});

test("an empty string is absent", () => {
  const { objects, problems } = read(`apiVersion: v1
kind: Node
metadata:
  name: n1
spec:
  providerID: ""
status:
  nodeInfo:
    kubeProxyVersion: ""
    kubeletVersion: v1.33.1
`);
  expect(problems).toEqual([]);
  const [node] = objects.nodes;
  expect(node).toMatchObject({ name: "n1", kubeletVersion: "v1.33.1" });
  expect(node).not.toHaveProperty("kubeProxyVersion");
  expect(node).not.toHaveProperty("providerId");
});

test("Pod", () => {
  const { objects, problems } = read(`apiVersion: v1
kind: Pod
metadata:
  labels:
    app: web
  name: web-0
  namespace: shop
spec:
  containers:
  - name: c
    env:
    - name: TOKEN
      value: "*secret"
    ports:
    - containerPort: 8080
      hostPort: 80
      name: http
      protocol: TCP
  hostNetwork: true
  nodeName: n1
status:
  hostIP: 192.0.2.11
  phase: Running
  podIP: 192.0.2.11
  podIPs:
  - ip: 192.0.2.11
  - ip: fd00::11
`);
  expect(problems).toEqual([]);
  expect(objects.pods).toMatchObject([
    {
      namespace: "shop",
      name: "web-0",
      nodeName: "n1",
      hostNetwork: true,
      phase: "Running",
      labels: { app: "web" },
      ports: [{ name: "http", port: 8080, hostPort: 80, protocol: 6 }],
    },
  ]);
  expect(shown(objects.pods[0]!.addresses)).toEqual(["192.0.2.11", "fd00::11"]);
  expect(JSON.stringify(objects)).not.toContain("secret");
});

test("NetworkPolicy", () => {
  const { objects, problems } = read(`apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: only-front
  namespace: shop
spec:
  podSelector:
    matchLabels:
      app: web
  ingress:
  - from:
    - podSelector:
        matchExpressions:
        - key: role
          operator: In
          values:
          - front
    - ipBlock:
        cidr: 10.0.0.0/8
        except:
        - 10.1.0.0/16
    - namespaceSelector: {}
    ports:
    - port: 8080
      endPort: 8090
      protocol: TCP
    - port: dns
      protocol: UDP
  egress:
  - {}
`);
  expect(problems).toEqual([]);
  expect(objects.networkPolicies).toMatchObject([
    {
      name: "only-front",
      pods: { labels: { app: "web" }, expressions: [] },
      types: ["Ingress", "Egress"],
      ingress: [
        {
          peers: [
            { pods: { expressions: [{ key: "role", operator: "In", values: ["front"] }] } },
            { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] },
            { namespaces: { labels: {}, expressions: [] } },
          ],
          ports: [
            { protocol: 6, port: 8080, endPort: 8090 },
            { protocol: 17, port: "dns" },
          ],
        },
      ],
      egress: [{ peers: [], ports: [] }],
    },
  ]);
});

describe("configuration", () => {
  const CONFIG = `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clusterCIDR: 10.244.0.0/16,fd00::/48
mode: ipvs
nodePortAddresses: ["192.0.2.0/24"]
iptables:
  masqueradeAll: true
  masqueradeBit: 14
ipvs:
  scheduler: rr
  strictARP: true
  excludeCIDRs: []
detectLocal:
  bridgeInterface: ""
  interfaceNamePrefix: cali
`;
  const EXPECTED = {
    mode: "ipvs",
    clusterCidrs: ["10.244.0.0/16", "fd00::/48"],
    nodePortAddresses: ["192.0.2.0/24"],
    masqueradeAll: true,
    masqueradeBit: 14,
    ipvsScheduler: "rr",
    strictArp: true,
    interfaceNamePrefix: "cali",
  };

  test("KubeProxyConfiguration", () => {
    const { objects } = read(CONFIG);
    expect(objects.kubeProxyConfigs).toMatchObject([EXPECTED]);
    expect(objects.kubeProxyConfigs[0]).not.toHaveProperty("bridgeInterface");
  });

  test("in its ConfigMap, found at its own lines", () => {
    const text = `apiVersion: v1\ndata:\n  config.conf: |-\n${CONFIG.replace(/^/gm, "    ").trimEnd()}\n  kubeconfig.conf: |-\n    apiVersion: v1\n    kind: Config\nkind: ConfigMap\nmetadata:\n  name: kube-proxy\n`;
    const { objects } = read(text);
    expect(objects.kubeProxyConfigs).toMatchObject([{ ...EXPECTED, origin: { line: 7 } }]);
    expect(text.split("\n")[6]).toBe("    mode: ipvs");
  });

  test("flannel's network, Calico's pools, subnet.env", () => {
    const { objects } = read(`apiVersion: v1
kind: ConfigMap
metadata:
  name: kube-flannel-cfg
data:
  net-conf.json: |
    {
      "Network": "10.244.0.0/16",
      "Backend": { "Type": "vxlan", "VNI": 4096, "Port": 4789, "DirectRouting": true }
    }
---
apiVersion: crd.projectcalico.org/v1
kind: IPPool
metadata:
  name: pool
spec:
  blockSize: 26
  cidr: 10.244.0.0/16
  ipipMode: CrossSubnet
  natOutgoing: true
  vxlanMode: Never
`);
    expect(objects.flannelNetworks).toMatchObject([{ backend: "vxlan", vni: 4096, port: 4789, directRouting: true }]);
    expect(objects.flannelNetworks[0]!.networks.map(formatPrefix)).toEqual(["10.244.0.0/16"]);
    expect(objects.ipPools).toMatchObject([
      { name: "pool", ipipMode: "CrossSubnet", vxlanMode: "Never", natOutgoing: true, disabled: false, blockSize: 26 },
    ]);
    const env = read(
      "FLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUBNET=10.244.1.1/24\nFLANNEL_MTU=1450\nFLANNEL_IPMASQ=true\n",
      "nodes/n7/subnet.env",
    );
    expect(env.dialects).toEqual(["flannel-env"]);
    expect(env.objects.flannelSubnets).toMatchObject([{ node: "n7", mtu: 1450, ipMasq: true, origin: { line: 2 } }]);
    expect(env.objects.flannelSubnets[0]!.subnets.map(formatPrefix)).toEqual(["10.244.1.1/24"]);
  });
});

test("a Secret is skipped, and nothing of it quoted", () => {
  const { objects, problems, counts } = read(
    `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Secret
  metadata:
    name: s
  data:
    token: &a hunter2
    b: "open
- apiVersion: v1
  kind: Service
  metadata:
    name: web
  spec:
    clusterIP: 10.96.0.5
`.replace('"open', "'x' hunter2"),
  );
  expect(problems).toEqual(["5 note kubernetes-secret"]);
  expect(objects.services.map((s) => s.name)).toEqual(["web"]);
  expect(counts).toEqual([{ services: 1, "other objects": 1 }]);
});

describe("excerpts without a kind", () => {
  const node = (n: number) => `      flannel.alpha.coreos.com/backend-data: '{"VtepMAC":"02:00:00:00:00:0${n}"}'
      flannel.alpha.coreos.com/backend-type: vxlan
      flannel.alpha.coreos.com/public-ip: 192.0.2.${n}
`;
  test.each([
    ["parted by grep", `$ kubectl get node -o yaml | grep -A2 Vtep\n${node(1)}--\n${node(2)}`],
    ["one after the other", `$ kubectl get node -o yaml | grep flannel\n${node(1)}${node(2)}`],
  ])("flannel's annotations, %s", (_, text) => {
    const { objects, problems } = read(text, "notes.txt");
    expect(problems).toEqual([]);
    expect(objects.nodes.map((n) => [n.name, ...shown(n.addresses), n.flannel?.vtepMac])).toEqual([
      ["", "192.0.2.1", "02:00:00:00:00:01"],
      ["", "192.0.2.2", "02:00:00:00:00:02"],
    ]);
  });

  test("the data of a ConfigMap", () => {
    const { objects } = read(
      `  net-conf.json: |\n    {\n      "Network": "10.97.0.0/16",\n      "Backend": {\n        "Type": "host-gw"\n      }\n    }\nkind: ConfigMap\n`,
    );
    expect(objects.flannelNetworks).toMatchObject([{ backend: "host-gw", origin: { line: 1 } }]);
  });
});
