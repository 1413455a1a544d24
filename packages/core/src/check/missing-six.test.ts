import { expect, test } from "vitest";
import { say } from "../messages/index.ts";
import { readCase } from "../parse/index.ts";
import { check } from "./index.ts";

const ADDRESSES = (
  six: string,
) => `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
    inet6 ::1/128 scope host
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    link/ether 02:00:00:00:01:02 brd ff:ff:ff:ff:ff:ff
    inet 10.0.0.1/24 scope global eth0
    inet6 ${six} scope ${six.startsWith("fe80") ? "link" : "global"}
`;
const TABLES =
  "*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\nCOMMIT\n*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n";
const ROUTES = "fd00::/64 dev eth0 proto kernel metric 256 pref medium\n";
const RULES = "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n";
const SERVICE = `apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { clusterIP: "fd96::1", clusterIPs: ["fd96::1"], ports: [{ port: 80, protocol: TCP }] }
`;

function asked(files: Readonly<Record<string, string>>, six = "fd00::1/64") {
  const all = { "nodes/a/ip-addr.txt": ADDRESSES(six), ...files };
  const inputs = Object.entries(all).map(([path, text]) => ({ path, text }));
  const found = check(readCase(inputs), inputs).missing.find((m) => m.what.id === "missing.six");
  return found === undefined ? undefined : typeof found.command === "string" ? found.command : say(found.command);
}

test("a node that shows a part of IPv6 is asked for the rest", () => {
  expect(asked({})).toBe(undefined);
  expect(asked({ "nodes/a/ip-6-route.txt": ROUTES })).toBe(
    "ip6tables-save -c; ip -6 rule; sysctl net.ipv6.conf.all.forwarding",
  );
  expect(asked({ "nodes/a/ip-6-route.txt": ROUTES }, "fe80::1/64")).toBe(undefined);
});

test("so is one of a cluster whose Services have addresses of IPv6", () => {
  expect(asked({ "services.yaml": SERVICE })).toContain("ip -6 route show table all");
});

test("nothing is asked for that is there", () => {
  const whole = {
    "nodes/a/ip-6-route-show-table-all.txt": ROUTES,
    "nodes/a/ip-6-rule.txt": RULES,
    "nodes/a/ip6tables-save.txt": TABLES,
    "nodes/a/sysctl.txt": "net.ipv6.conf.all.forwarding = 1\n",
  };
  expect(asked(whole)).toBe(undefined);
});
