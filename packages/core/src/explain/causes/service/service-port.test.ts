import { ADDRESSES, ask, filter, NODE, nat, POD, ROUTES } from "@hairpin/testing/dumps.ts";
import { describe, expect, test } from "vitest";

const SERVICE = (ports: string, name = "web", ip = "10.96.0.20") => `- apiVersion: v1
  kind: Service
  metadata: {name: ${name}, namespace: default}
  spec: {clusterIP: ${ip}, ports: [${ports}]}
`;
const SLICE = (name: string, address: string) => `- apiVersion: discovery.k8s.io/v1
  kind: EndpointSlice
  metadata: {name: ${name}-x, namespace: default, labels: {kubernetes.io/service-name: ${name}}}
  addressType: IPv4
  ports: [{port: 8080, protocol: TCP}]
  endpoints:
  - {addresses: [${address}], conditions: {ready: true}}
`;
const list = (...items: string[]) => `apiVersion: v1\nkind: List\nitems:\n${items.join("")}`;
const WEB = SERVICE("{port: 80, targetPort: 8080, protocol: TCP}");

describe("PORT_NOT_IN_SERVICE", () => {
  const asked = (port: number, files = {}) => ask({ ...NODE, ...files }, { from: POD, to: `10.96.0.20:${port}` });
  test("rules alone: the Service's ports are told, and it is not reachable", () => {
    const { verdict, causes } = asked(8080);
    expect(verdict).toBe("unreachable");
    expect(causes[0]).toMatchObject({ code: "PORT_NOT_IN_SERVICE", certainty: "inferred" });
    expect(causes[0]?.said).toBe(
      "10.96.0.20 is the address of Service default/web, which has 80/tcp and not 8080/tcp: nothing translates the packet",
    );
  });
  test("with the object its line is quoted", () => {
    const { causes } = asked(8080, { "objects.yaml": list(WEB, SLICE("web", "10.244.2.7")) });
    expect(causes[0]).toMatchObject({ code: "PORT_NOT_IN_SERVICE", certainty: "inferred" });
    expect(causes[0]?.evidence).toHaveLength(1);
  });
  test("guard: the port it has", () => {
    expect(asked(80).codes).not.toContain("PORT_NOT_IN_SERVICE");
  });
  test("guard: another address", () => {
    expect(ask(NODE, { from: POD, to: "10.0.0.1:8080" }).codes).not.toContain("PORT_NOT_IN_SERVICE");
  });
  test("it comes before what it leads to: IPVS has the address, and nobody listens on that port", () => {
    const ipvs = {
      "nodes/a/ip-addr.txt": `${ADDRESSES}9: kube-ipvs0: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN group default\n    link/ether 52:54:00:00:09:01 brd ff:ff:ff:ff:ff:ff\n    inet 10.96.0.20/32 scope global kube-ipvs0\n       valid_lft forever preferred_lft forever\n`,
      "nodes/a/ip-route.txt": ROUTES,
      "nodes/a/iptables-save.txt": filter(),
      "nodes/a/ipvsadm-ln.txt":
        "IP Virtual Server version 1.2.1 (size=4096)\nProt LocalAddress:Port Scheduler Flags\n  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn\nTCP  10.96.0.20:80 rr\n  -> 10.244.2.7:8080              Masq    1      0          0\n",
      "nodes/a/ss-lntp.txt":
        "State  Recv-Q Send-Q Local Address:Port Peer Address:Port\nLISTEN 0      128          0.0.0.0:22        0.0.0.0:*\n",
    };
    const { codes } = ask(ipvs, { from: POD, to: "10.96.0.20:8080" });
    expect(codes[0]).toBe("PORT_NOT_IN_SERVICE");
  });
});

describe("SERVICE_NOT_PROGRAMMED_HERE", () => {
  const NEW = SERVICE("{port: 80, targetPort: 8080, protocol: TCP}", "late", "10.96.0.77");
  const asked = (...items: string[]) =>
    ask(
      { ...NODE, ...(items.length === 0 ? {} : { "objects.yaml": list(...items) }) },
      { from: POD, to: "10.96.0.77:80" },
    );
  test("an object has it, and the node's rules do not", () => {
    const { verdict, causes } = asked(WEB, NEW, SLICE("web", "10.244.2.7"), SLICE("late", "10.244.2.8"));
    expect(verdict).not.toBe("reachable");
    expect(causes[0]).toMatchObject({ code: "SERVICE_NOT_PROGRAMMED_HERE", certainty: "inferred", stack: "a" });
  });
  test("another node has it", () => {
    const other = nat("10.244.2.8").replaceAll("10.96.0.20", "10.96.0.77").replaceAll("default/web", "default/late");
    const files = {
      ...NODE,
      "nodes/b/iptables-save.txt": other,
      "nodes/b/ip-addr.txt": ADDRESSES.replaceAll("10.0.0.1/", "10.0.0.2/").replaceAll("10.244.1.", "10.244.2."),
    };
    const { causes } = ask(files, { from: POD, to: "10.96.0.77:80", node: "a" });
    expect(causes.find((c) => c.code === "SERVICE_NOT_PROGRAMMED_HERE")?.said).toContain("which b translates");
  });
  test("guard: nobody knows of such a Service, or the node has it", () => {
    expect(asked().codes).not.toContain("SERVICE_NOT_PROGRAMMED_HERE");
    const { codes } = ask(
      { ...NODE, "objects.yaml": list(WEB, SLICE("web", "10.244.2.7")) },
      { from: POD, to: "10.96.0.20:80" },
    );
    expect(codes).not.toContain("SERVICE_NOT_PROGRAMMED_HERE");
  });
  test("guard: a load balancer's address of mode Proxy, which kube-proxy leaves to it; one of mode VIP is its own", () => {
    const balanced = (mode: string) =>
      ask(
        {
          ...NODE,
          "objects.yaml": list(
            WEB,
            `${WEB.replace("name: web", "name: lb").replace("10.96.0.20", "10.96.0.77").replace("spec: {", "spec: {type: LoadBalancer, ")}  status: {loadBalancer: {ingress: [{ip: 198.51.100.10, ipMode: ${mode}}]}}\n`,
            SLICE("web", "10.244.2.7"),
            SLICE("lb", "10.244.2.8"),
          ),
        },
        { from: POD, to: "198.51.100.10:80" },
      ).codes;
    expect(balanced("Proxy")).not.toContain("SERVICE_NOT_PROGRAMMED_HERE");
    expect(balanced("VIP")).toContain("SERVICE_NOT_PROGRAMMED_HERE");
  });
  test("guard: it has no ready endpoint, so that nothing is translated anyway", () => {
    const none = SLICE("late", "10.244.2.8").replace("ready: true", "ready: false");
    expect(asked(WEB, NEW, SLICE("web", "10.244.2.7"), none).codes).not.toContain("SERVICE_NOT_PROGRAMMED_HERE");
  });
});

describe("TARGET_PORT_MISMATCH", () => {
  const ss = (...ports: string[]) =>
    `State  Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n${ports.map((p) => `LISTEN 0      128    ${p.padStart(18)}        0.0.0.0:*     users:(("app",pid=7,fd=3))\n`).join("")}`;
  const pod = (sockets: string) => ({
    ...NODE,
    "nodes/a/iptables-save.txt": nat("10.244.1.7") + filter(),
    "nodes/a/pods/default/web-0/ip-addr.txt":
      "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000\n    inet 127.0.0.1/8 scope host lo\n       valid_lft forever preferred_lft forever\n2: eth0@if9: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue state UP group default\n    link/ether 52:54:00:00:01:07 brd ff:ff:ff:ff:ff:ff link-netnsid 0\n    inet 10.244.1.7/24 brd 10.244.1.255 scope global eth0\n       valid_lft forever preferred_lft forever\n",
    "nodes/a/pods/default/web-0/ip-route.txt":
      "default via 10.244.1.1 dev eth0\n10.244.1.0/24 dev eth0 proto kernel scope link src 10.244.1.7\n",
    "nodes/a/pods/default/web-0/ss-lntp.txt": sockets,
  });
  const asked = (sockets: string) => ask(pod(sockets), { from: "node/a", to: "10.96.0.20:80" });
  test("the endpoint listens on another port: root before the refusal", () => {
    const { verdict, causes } = asked(ss("0.0.0.0:9090"));
    expect(verdict).toBe("unreachable");
    expect(causes[0]).toMatchObject({ code: "TARGET_PORT_MISMATCH", certainty: "proven" });
    expect(causes[0]?.said).toContain("what listens there is 9090");
    expect(causes[0]?.lines.join("\n")).toContain("--to-destination 10.244.1.7:8080");
  });
  test("guard: it listens on that port, on loopback only, or on nothing", () => {
    expect(asked(ss("0.0.0.0:8080", "0.0.0.0:9090")).codes).not.toContain("TARGET_PORT_MISMATCH");
    expect(asked(ss("127.0.0.1:9090")).codes).not.toContain("TARGET_PORT_MISMATCH");
    expect(asked(ss()).codes).not.toContain("TARGET_PORT_MISMATCH");
  });
});
