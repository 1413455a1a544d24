import { assembled } from "@hairpin/testing/case.ts";
import { expect, test } from "vitest";
import { resolveQuestion, trace } from "../index.ts";

const addresses = (n: number): string =>
  `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536\n    inet 127.0.0.1/8 scope host lo\n2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500\n    link/ether 02:00:00:00:00:0${n} brd ff:ff:ff:ff:ff:ff\n    inet 10.0.0.${n}/24 scope global eth0\n`;
const routes = (n: number): string => `10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.${n}\n`;

function ends(neighbour: string): readonly string[] {
  const { world } = assembled({
    "nodes/a/ip-addr.txt": addresses(1),
    "nodes/a/ip-route.txt": routes(1),
    "nodes/a/ip-neigh.txt": `10.0.0.2 dev eth0 lladdr ${neighbour}\n`,
    "nodes/b/ip-addr.txt": addresses(2),
    "nodes/b/ip-route.txt": routes(2),
  });
  const resolved = resolveQuestion(world, { from: "node/a", to: "10.0.0.2:53", proto: "udp" });
  if (resolved.ok !== true) throw new Error("no question");
  return trace(resolved.world, resolved.question, {}).branches.map((b) => b.request.disposition);
}

test("a permanent neighbour with a MAC that its host has not leads to nobody who was shown", () => {
  expect(ends("02:00:00:00:00:99 PERMANENT")).toEqual(["undetermined"]);
  expect(ends("02:00:00:00:00:02 PERMANENT")).toContain("delivered");
  // A cloud answers for its machines with a MAC of its own.
  expect(ends("12:34:56:78:9a:bc STALE")).toContain("delivered");
});
