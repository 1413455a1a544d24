import { judge, resolveQuestion, trace } from "@hairpin/core/trace/index.ts";
import { assembled, stackOf } from "@hairpin/testing/case.ts";
import { expect, test } from "vitest";

const CARD = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000
    link/ether 02:00:00:00:03:02 brd ff:ff:ff:ff:ff:ff
    inet 10.2.0.2/24 scope global eth0
`;
const ROUTES = "default via 10.2.0.1 dev eth0\n10.2.0.0/24 dev eth0 proto kernel scope link src 10.2.0.2\n";
const chain = (family: string, hook: string, rules: string): string =>
  `table ${family} t {\n\tchain c {\n\t\ttype filter hook ${hook} priority filter; ${rules}\n\t}\n}\n`;

/** A node asks for somebody beyond its gateway; nobody but the node was shown. */
function asked(ruleset: string): string {
  const { world } = assembled({
    "node/ip-addr.txt": CARD,
    "node/ip-route.txt": ROUTES,
    "node/nft-list-ruleset.txt": ruleset,
  });
  const resolved = resolveQuestion(world, { from: "node/node", to: "192.0.2.10:80", proto: "tcp" });
  if (resolved.ok !== true) throw new Error("no question");
  const { branches, ...rest } = trace(resolved.world, resolved.question);
  const lost = branches.some((b) => b.clientSees === "unreachable");
  return lost ? "no neighbour" : judge({ branches, ...rest }).verdict;
}

test.each([
  ["arp", "input", "policy drop;", "no neighbour"],
  ["arp", "input", "policy drop; arp operation reply accept", "reachable"],
  ["arp", "output", "policy drop;", "no neighbour"],
  ["netdev", 'ingress device "eth0"', "policy accept; arp operation reply drop", "no neighbour"],
  ["netdev", 'ingress devices = { "et*" }', "policy accept; arp operation reply drop", "undetermined"],
  ["netdev", 'egress device "eth0"', "policy accept; arp operation request drop", "no neighbour"],
  ["netdev", 'ingress device "eth1"', "policy drop;", "undetermined"],
  ["netdev", 'ingress device "eth0"', "policy drop; ether type arp accept; ip protocol tcp accept", "reachable"],
])("a gateway that nobody showed is asked through the chains of %s at %s, %s", (family, hook, rules, fate) => {
  expect(asked(chain(family, hook, rules))).toBe(fate);
});

const PORT = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 state UNKNOWN
2: br0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 state UP
    link/ether 02:00:00:00:01:02 brd ff:ff:ff:ff:ff:ff
3: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 master br0 state UP
    link/ether 02:00:00:00:01:03 brd ff:ff:ff:ff:ff:ff
`;
test("a chain at a device that may take ARP is open at a bridge's port, and at a device that nobody showed", () => {
  const open = (device: string, rules: string) =>
    stackOf(
      assembled({ "ip-addr.txt": PORT, "nft-list-ruleset.txt": chain("netdev", `ingress device "${device}"`, rules) })
        .world,
    ).netfilter.nativeNft.length;
  expect(open("br0", "policy drop;")).toBe(0);
  expect(open("eth0", "policy drop;")).toBe(1);
  expect(open("eth0", "policy accept; ip saddr 10.0.0.1 drop")).toBe(0);
  expect(open("gone0", "policy drop;")).toBe(1);
});
