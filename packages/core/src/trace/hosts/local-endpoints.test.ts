import { worldOf } from "@hairpin/testing/world.ts";
import { expect, test } from "vitest";
import { judge, resolveQuestion, trace } from "../index.ts";

const rules = (chain: string): string => `*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:KUBE-EXT-7K3VJ2C5QX5WB4NO - [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-SEP-2A5X7JNQ4R6TZB3C - [0:0]
:KUBE-SERVICES - [0:0]
:${chain} - [0:0]
-A PREROUTING -j KUBE-SERVICES
-A KUBE-EXT-7K3VJ2C5QX5WB4NO -j ${chain}
-A KUBE-NODEPORTS -p tcp -m tcp --dport 30080 -j KUBE-EXT-7K3VJ2C5QX5WB4NO
-A KUBE-SEP-2A5X7JNQ4R6TZB3C -p tcp -m tcp -j DNAT --to-destination 10.180.2.1:80
-A KUBE-SERVICES -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS
-A ${chain} -j KUBE-SEP-2A5X7JNQ4R6TZB3C
COMMIT
`;

/** A node whose pods are behind a device that does not look like a veth, and of which no pod was shown. */
const verdict = (chain: string): string => {
  const world = worldOf({
    "nodes/n/iptables-save.txt": rules(chain),
    "nodes/n/ip-addr.txt": `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
    link/ether 02:00:00:00:00:02 brd ff:ff:ff:ff:ff:ff
    inet 192.168.0.2/24 scope global eth0
3: pods: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
    link/ether 02:00:00:00:00:03 brd ff:ff:ff:ff:ff:ff
    inet 10.180.255.254/32 scope global pods
`,
    "nodes/n/ip-route.txt": "default dev eth0 scope link\n10.180.0.0/16 dev pods scope link\n",
    "nodes/n/ip-rule.txt": "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n",
    "nodes/n/sysctl.txt":
      "net.ipv4.ip_forward = 1\nnet.ipv4.conf.all.rp_filter = 0\nnet.ipv4.conf.eth0.rp_filter = 0\nnet.ipv4.conf.pods.rp_filter = 0\n",
  });
  const asked = resolveQuestion(world, { from: "203.0.113.2", to: "192.168.0.2:30080" });
  if (asked.ok !== true) throw new Error("not understood");
  return judge(trace(asked.world, asked.question)).verdict;
};

test("an endpoint of a chain for local endpoints answers through its node", () => {
  expect(verdict("KUBE-SVL-7K3VJ2C5QX5WB4NO")).toBe("reachable");
});

test("one of any chain is not known to: it answers by itself, untranslated", () => {
  expect(verdict("KUBE-SVC-7K3VJ2C5QX5WB4NO")).toBe("unreachable");
});
