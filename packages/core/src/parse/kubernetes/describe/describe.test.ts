import { describe, expect, test } from "vitest";
import { formatAddress } from "../../../net/index.ts";
import { readCase } from "../../index.ts";

const SERVICE = `Name:                     web
Namespace:                shop
Labels:                   app=web
Annotations:              <none>
Selector:                 app=web,tier=front
Type:                     LoadBalancer
IP Family Policy:         SingleStack
IP Families:              IPv4
IP:                       10.96.0.20
IPs:                      10.96.0.20
LoadBalancer Ingress:     192.0.2.80 (VIP)
Port:                     http  80/TCP
TargetPort:               web/TCP
NodePort:                 http  30080/TCP
Endpoints:                10.244.1.5:8080,10.244.2.7:8080,10.244.2.8:8080 + 1 more...
Port:                     dns  53/UDP
TargetPort:               5353/UDP
NodePort:                 dns  30053/UDP
Endpoints:                <none>
Session Affinity:         ClientIP
External Traffic Policy:  Local
HealthCheck NodePort:     31000
Events:                   <none>
`;

const POD = `Name:             web-0
Namespace:        shop
Priority:         0
Node:             worker-1/10.0.0.5
Status:           Running
IP:               10.244.1.5
IPs:
  IP:           10.244.1.5
Containers:
  web:
    Image:          web:1
    Ports:          8080/TCP, 9090/TCP
    State:          Running
`;

const objectsOf = (text: string) => {
  const [dump, ...others] = readCase([{ path: "describe.txt", text }]).dumps;
  expect(others).toEqual([]);
  const [fact] = dump!.reading.facts;
  if (fact?.kind !== "kubernetes") throw new Error(`read as ${fact?.kind}`);
  return fact.objects;
};

describe("kubectl describe", () => {
  test("a Service: addresses, ports, policies", () => {
    const { services } = objectsOf(SERVICE);
    expect(services).toMatchObject([
      {
        namespace: "shop",
        name: "web",
        type: "LoadBalancer",
        selector: { app: "web", tier: "front" },
        externalTrafficPolicy: "Local",
        healthCheckNodePort: 31000,
        ports: [
          { name: "http", protocol: 6, port: 80, targetPort: "web", nodePort: 30080 },
          { name: "dns", protocol: 17, port: 53, targetPort: 5353, nodePort: 30053 },
        ],
      },
    ]);
    expect(services[0]?.loadBalancerIps.map(formatAddress)).toEqual(["192.0.2.80"]);
  });
  test("its endpoints, of which some were left out, and none", () => {
    const { endpoints } = objectsOf(SERVICE);
    expect(endpoints.map((e) => [e.ports[0]?.port, e.endpoints.length, e.cut === true])).toEqual([
      [8080, 3, true],
      [undefined, 0, false],
    ]);
  });
  test("a Pod: where it runs and what it says to listen on", () => {
    expect(objectsOf(POD).pods).toMatchObject([
      { namespace: "shop", name: "web-0", nodeName: "worker-1", phase: "Running", hostNetwork: false },
    ]);
    expect(objectsOf(POD).pods[0]?.ports?.map((p) => p.port)).toEqual([8080, 9090]);
  });
  test("several, one below the other", () => {
    const { services, pods } = objectsOf(`${SERVICE}\n\n${POD}`);
    expect([services.length, pods.length]).toEqual([1, 1]);
  });
});
