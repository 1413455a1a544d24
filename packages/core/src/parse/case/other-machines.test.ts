import { describe, expect, test } from "vitest";
import { readCase } from "./read-case.ts";

const nodesOf = (text: string) =>
  readCase([{ path: "paste.txt", text }]).dumps.map((d) => [d.dialect.id, d.node.value] as const);

const card = (mac: string, address: string, more = "") =>
  `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP
    link/ether ${mac} brd ff:ff:ff:ff:ff:ff
    inet ${address}/24 scope global eth0
${more}`;
const VIP = `6: kube-ipvs0: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN
    link/ether 02:00:00:00:00:06 brd ff:ff:ff:ff:ff:ff
    inet 10.96.0.1/32 scope global kube-ipvs0
`;
const SYSCTL = "net.ipv4.ip_forward = 1\n";

describe("machines that a text does not name", () => {
  test("are told apart by their cards, and what follows is the latter's", () => {
    const text = [
      card("02:00:00:00:0a:01", "192.0.2.11", VIP),
      SYSCTL,
      card("02:00:00:00:0b:01", "192.0.2.12", VIP),
      SYSCTL,
    ];
    expect(nodesOf(text.join("\n"))).toEqual([
      ["ip-addr", "node"],
      ["sysctl", "node"],
      ["ip-addr", "192.0.2.12"],
      ["sysctl", "192.0.2.12"],
    ]);
  });
  test("one that is shown again is the same", () => {
    const [a, b] = [card("02:00:00:00:0a:01", "192.0.2.11"), card("02:00:00:00:0b:01", "192.0.2.12")];
    expect(nodesOf([a, SYSCTL, b, SYSCTL, a].join("\n")).map(([, node]) => node)).toEqual([
      "node",
      "node",
      "192.0.2.12",
      "192.0.2.12",
      "node",
    ]);
  });
  test("routes name the card's own address", () => {
    const routes = (own: string) =>
      `default via 192.0.2.1 dev eth0\n172.17.0.0/16 dev docker0 proto kernel scope link src 172.17.0.1\n192.0.2.0/24 dev eth0 proto kernel scope link src ${own}\n`;
    expect(nodesOf(`${routes("192.0.2.11")}\n${routes("192.0.2.12")}`)).toEqual([
      ["ip-route", "node"],
      ["ip-route", "192.0.2.12"],
    ]);
  });
  test("a card with another address is the same card; so is one of which only the address was shown", () => {
    const before = card("02:00:00:00:0a:01", "192.0.2.11");
    const after = card("02:00:00:00:0a:01", "192.0.2.99");
    const routes = "192.0.2.0/24 dev eth0 proto kernel scope link src 192.0.2.99\n";
    expect(nodesOf([before, SYSCTL, after, SYSCTL, routes].join("\n")).map(([, node]) => node)).toEqual(
      Array(5).fill("node"),
    );
  });
  test("a prompt's word is taken", () => {
    const text = `root@a:~# ip addr\n${card("02:00:00:00:0a:01", "192.0.2.11")}root@a:~# ip addr\n${card("02:00:00:00:0b:01", "192.0.2.12")}`;
    expect(nodesOf(text).map(([, node]) => node)).toEqual(["a", "a"]);
  });
});
