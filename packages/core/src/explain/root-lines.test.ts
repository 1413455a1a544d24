import { ask, NODE } from "@hairpin/testing/dumps.ts";
import { describe, expect, test } from "vitest";

const SERVICE = `apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: shop
spec:
  clusterIP: 10.96.0.20
  externalTrafficPolicy: Local
  type: NodePort
  ports:
  - port: 80
    protocol: TCP
    nodePort: 30080
    targetPort: 8080
`;
const REFUSED = `*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:KUBE-SERVICES - [0:0]
-A PREROUTING -j KUBE-SERVICES
COMMIT
*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:KUBE-EXTERNAL-SERVICES - [0:0]
-A INPUT -m conntrack --ctstate NEW -j KUBE-EXTERNAL-SERVICES
-A KUBE-EXTERNAL-SERVICES -p tcp -m comment --comment "shop/web has no local endpoints" -m addrtype --dst-type LOCAL -m tcp --dport 30080 -j DROP
COMMIT
`;

describe("the line that decided comes before the place of death", () => {
  test("the policy of a Service, not the rule that kube-proxy wrote for it", () => {
    const files = { ...NODE, "nodes/a/iptables-save.txt": REFUSED, "svc.yaml": SERVICE };
    const { causes } = ask(files, { from: "external", to: "10.0.0.1:30080" });
    expect(causes[0]?.code).toBe("ETP_LOCAL_NO_ENDPOINT_IPTABLES");
    expect(causes[0]?.evidence[0]).toEqual({ kind: "read", file: "svc.yaml", line: 8 });
  });
  test("without the object, the rule", () => {
    const files = { ...NODE, "nodes/a/iptables-save.txt": REFUSED };
    const { causes } = ask(files, { from: "external", to: "10.0.0.1:30080" });
    expect(causes[0]?.evidence[0]).toMatchObject({ file: "nodes/a/iptables-save.txt" });
  });
});
