import { describe, expect, test } from "vitest";
import { assemble } from "../../assemble/index.ts";
import { faultText, say } from "../../messages/index.ts";
import { formatAddress } from "../../net/index.ts";
import { readCase } from "../../parse/index.ts";
import { type QuestionSpec, resolveQuestion } from "../index.ts";

const { world } = assemble(
  readCase([
    {
      path: "nodes/n1/ip-addr.txt",
      text: `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq state UP group default qlen 1000
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    inet 192.0.2.11/24 brd 192.0.2.255 scope global eth0
       valid_lft forever preferred_lft forever
`,
    },
    {
      path: "services.yaml",
      text: `apiVersion: v1
items:
- apiVersion: v1
  kind: Service
  metadata: {name: web, namespace: shop}
  spec:
    clusterIP: 10.96.0.10
    externalIPs: [198.51.100.4]
    ports:
    - {name: http, port: 80, nodePort: 30080}
    - {name: https, port: 443}
    - {name: dns, port: 53, protocol: UDP}
    type: LoadBalancer
  status:
    loadBalancer:
      ingress:
      - ip: 203.0.113.9
- apiVersion: v1
  kind: Pod
  metadata: {name: agent, namespace: shop}
  spec: {hostNetwork: true, nodeName: n1}
  status: {podIP: 192.0.2.11}
- apiVersion: v1
  kind: Node
  metadata: {name: n2}
  status:
    addresses:
    - {type: InternalIP, address: 192.0.2.12}
kind: List
`,
    },
  ]),
);
const ask = (spec: QuestionSpec) => {
  const resolved = resolveQuestion(world, { from: "node/n1", ...spec });
  if (resolved.ok === false) return say(faultText(resolved.error));
  return resolved.ok === true
    ? `${resolved.question.client} → ${formatAddress(resolved.question.to)}:${resolved.question.port}`
    : resolved.reason;
};

describe("questions by the names of objects", () => {
  test.each<[QuestionSpec, string]>([
    [{ to: "svc/shop/web:80" }, "n1 → 10.96.0.10:80"],
    [{ to: "svc/shop/web:https" }, "n1 → 10.96.0.10:443"],
    [{ to: "svc/shop/web", proto: "udp" }, "n1 → 10.96.0.10:53"],
    [{ to: "svc/shop/web:80", via: "nodeport" }, "n1 → 192.0.2.11:30080"],
    [{ to: "svc/shop/web:80", via: "loadbalancer" }, "n1 → 203.0.113.9:80"],
    [{ to: "svc/shop/web:80", via: "external" }, "n1 → 198.51.100.4:80"],
    [{ from: "pod/shop/agent", to: "svc/shop/web:80" }, "n1 → 10.96.0.10:80"],
    [{ to: "node/n2:22" }, "n1 → 192.0.2.12:22"],
    [{ to: "svc/shop/web" }, "shop/web has the tcp ports 80 (http), 443 (https); say which, as in svc/shop/web:PORT"],
    [{ to: "svc/shop/web:443", via: "nodeport" }, "port 443 of shop/web has no node port"],
    [
      { to: "svc/shop/web:80", via: "carrier pigeon" },
      "--via carrier pigeon: clusterip, nodeport, loadbalancer or external",
    ],
    [
      { to: "svc/shop/none:80" },
      "there is no Service shop/none among the objects and rules of this case; there is shop/web",
    ],
    [{ from: "svc/shop/web", to: "192.0.2.12:22" }, "svc/shop/web: a Service asks nothing; it can be what is asked"],
    [{ to: "node/n3:22" }, "there is no node n3 in this case; there is n1, n2"],
  ])("%o", (spec, expected) => expect(ask(spec)).toBe(expected));
});
