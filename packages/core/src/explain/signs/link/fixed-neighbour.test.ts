import { ask } from "@hairpin/testing/dumps.ts";
import { expect, test } from "vitest";

const addresses = (n: number): string =>
  `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536\n    inet 127.0.0.1/8 scope host lo\n2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500\n    link/ether 02:00:00:00:00:0${n} brd ff:ff:ff:ff:ff:ff\n    inet 10.0.0.${n}/24 scope global eth0\n`;
const routes = (n: number): string => `10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.${n}\n`;
const asked = (neighbour: string) =>
  ask(
    {
      "nodes/a/ip-addr.txt": addresses(1),
      "nodes/a/ip-route.txt": routes(1),
      "nodes/a/ip-neigh.txt": `10.0.0.2 dev eth0 lladdr ${neighbour}\n`,
      "nodes/b/ip-addr.txt": addresses(2),
      "nodes/b/ip-route.txt": routes(2),
    },
    { from: "node/a", to: "10.0.0.2:53", proto: "udp" },
  );

test("a permanent neighbour with another MAC than its host has is named, and with whose MAC", () => {
  const { verdict, claims, causes } = asked("02:00:00:00:00:99 PERMANENT");
  expect({ verdict, claims }).toEqual({ verdict: "undetermined", claims: ["NEIGHBOUR_FAILED possible"] });
  expect(causes[0]).toMatchObject({
    stack: "a",
    direction: "request",
    said: "a has a permanent neighbour 10.0.0.2 with MAC 02:00:00:00:00:99, while b, which has that address, has 02:00:00:00:00:02",
    check: { command: "ping -c 3 10.0.0.2" },
  });
});

test.each(["02:00:00:00:00:02 PERMANENT", "12:34:56:78:9a:bc STALE"])("guard: %s", (neighbour) => {
  expect(asked(neighbour).claims).toEqual([]);
});
