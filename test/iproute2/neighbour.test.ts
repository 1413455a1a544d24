import { dialect } from "@hairpin/testing/segments.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Neighbour, NexthopObject, Route } from "../../packages/core/src/model/index.ts";
import { formatAddress, ipv4Of } from "../../packages/core/src/net/index.ts";
import { neighbourCommand, nexthopCommand } from "../../packages/core/src/parse/iproute2/command/to-commands.ts";
import { printNeighbour } from "../../packages/core/src/parse/iproute2/neighbour.ts";
import { printNexthopObject } from "../../packages/core/src/parse/iproute2/route/nexthop.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";
import { bare, canNetns, haveTool, Netns } from "./netns.ts";

function readAll(id: string, text: string, command: readonly string[]) {
  const reading = dialect(id).read(sourceOf("x", text), { command });
  expect(reading.diagnostics.filter((d) => d.severity !== "note")).toEqual([]);
  return reading.facts;
}
const neighbours = (id: string, text: string, command: readonly string[]): readonly Neighbour[] =>
  readAll(id, text, command).flatMap((f) => (f.kind === "neighbours" ? f.neighbours : []));
const nexthops = (id: string, text: string, command: readonly string[]): readonly NexthopObject[] =>
  readAll(id, text, command).flatMap((f) => (f.kind === "nexthops" ? f.nexthops : []));
const routes = (id: string, text: string, command: readonly string[]): readonly Route[] =>
  readAll(id, text, command).flatMap((f) => (f.kind === "routes" ? f.routes : []));

function build(ns: Netns): void {
  for (const command of [
    "link add v0 type veth peer name v1",
    "link set v0 up",
    "link set v1 up",
    "addr add 10.0.0.1/24 dev v0",
    "-6 addr add fd00::1/64 dev v0 nodad",
  ])
    ns.must(...command.split(" "));
}

describe.skipIf(!canNetns)("neighbours and nexthops of a real kernel", () => {
  let ns: Netns;
  const opened: Netns[] = [];
  beforeAll(() => {
    ns = new Netns();
    opened.push(ns);
    build(ns);
    for (const command of [
      "neigh add 10.0.0.20 lladdr 02:00:00:00:00:20 dev v0",
      "neigh add 10.0.0.21 lladdr 02:00:00:00:00:21 dev v0 nud reachable",
      "neigh add 10.0.0.22 lladdr 02:00:00:00:00:22 dev v0 nud stale",
      "neigh add 10.0.0.23 dev v0 nud failed",
      "neigh add 10.0.0.24 lladdr 02:00:00:00:00:24 dev v0 nud noarp",
      "neigh add 10.0.0.25 lladdr 02:00:00:00:00:25 dev v0 extern_learn protocol zebra",
      "neigh add fd00::20 lladdr 02:00:00:00:00:26 dev v0 router",
      "neigh add proxy 10.0.0.30 dev v0",
      "nexthop add id 1 via 10.0.0.20 dev v0",
      "nexthop add id 2 via 10.0.0.21 dev v0 proto zebra",
      "nexthop add id 3 group 1,5/2",
      "nexthop add id 4 blackhole",
      "nexthop add id 5 dev v0",
      "nexthop add id 6 via 10.9.9.9 dev v0 onlink",
      "nexthop add id 7 via fd00::20 dev v0",
      "nexthop add id 8 via 10.0.0.99 fdb",
      "nexthop add id 9 group 1/2 type resilient buckets 8",
    ])
      ns.must(...command.split(" "));
  });
  afterAll(() => {
    for (const n of opened) n.close();
  });

  test("ip neigh: every form, printed back, made again", () => {
    const text = ns.must("neigh");
    const all = neighbours("ip-neigh", text, ["ip", "neigh"]);
    // NOARP entries are not listed unless asked for.
    expect(all.length).toBe(6);
    expect(`${all.map(printNeighbour).join("\n")}\n`).toBe(text);
    for (const [id, ...form] of [
      ["ip-neigh", "-o"],
      ["ip-neigh", "-s"],
      ["ip-neigh", "-c=always"],
      ["ip-json", "-j"],
      ["ip-json", "-p", "-j"],
      ["ip-json", "-s", "-j"],
    ] as const)
      expect(bare(neighbours(id, ns.must(...form, "neigh"), ["ip", ...form, "neigh"]))).toEqual(bare(all));
    const dev = ["neigh", "show", "dev", "v0"];
    expect(bare(neighbours("ip-neigh", ns.must(...dev), ["ip", ...dev]))).toEqual(bare(all));
    const proxy = ["neigh", "show", "proxy"];
    const proxied = neighbours("ip-neigh", ns.must(...proxy), ["ip", ...proxy]);
    expect(proxied.map((n) => [n.address, n.proxy])).toEqual([[0x0a00001e, true]]);

    const second = new Netns();
    opened.push(second);
    build(second);
    for (const n of [...all, ...proxied]) {
      const command = neighbourCommand(n);
      if (command !== undefined) second.must(...command);
    }
    const key = (n: Neighbour) => JSON.stringify([n.address, n.device, n.mac, n.router]);
    expect(neighbours("ip-neigh", second.must("neigh"), ["ip", "neigh"]).map(key).sort()).toEqual(
      all
        .filter((n) => n.mac !== undefined)
        .map(key)
        .sort(),
    );
  });

  test("ip nexthop: every form, printed back, made again", () => {
    const text = ns.must("nexthop");
    const all = nexthops("ip-nexthop", text, ["ip", "nexthop"]);
    expect(all.map((n) => n.id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(`${all.map(printNexthopObject).join("\n")}\n`).toBe(text);
    const json = nexthops("ip-json", ns.must("-j", "nexthop"), ["ip", "-j", "nexthop"]);
    const noTimers = (n: NexthopObject): unknown => bare({ ...n, extra: [] });
    expect(json.map(noTimers)).toEqual(all.map(noTimers));
    expect(all[2]?.group).toEqual([
      { id: 1, weight: 5 },
      { id: 2, weight: 1 },
    ]);
    const second = new Netns();
    opened.push(second);
    build(second);
    for (const n of all.filter((x) => x.groupType === undefined)) second.must(...nexthopCommand(n));
    expect(second.must("nexthop")).toBe(
      text
        .split("\n")
        .filter((l) => !l.includes("resilient"))
        .join("\n"),
    );
  });

  test.skipIf(!haveTool("arp") || !haveTool("route"))("arp, route, netstat and /proc agree with ip", () => {
    const complete = neighbours("ip-neigh", ns.must("-4", "neigh"), ["ip", "-4", "neigh"]);
    const key = (n: Neighbour) => `${formatAddress(n.address)} ${n.device} ${n.mac} ${n.states.includes("PERMANENT")}`;
    const known = complete
      .filter((n) => n.mac !== undefined && !n.states.includes("NOARP"))
      .map(key)
      .sort();
    for (const [id, ...command] of [
      ["arp-n", "arp", "-n"],
      ["arp-a", "arp", "-an"],
      ["proc-net-arp", "cat", "/proc/net/arp"],
    ] as const) {
      const found = neighbours(id, ns.exec(...command).out, command);
      expect(
        found
          .filter((n) => n.mac !== undefined)
          .map(key)
          .sort(),
        id,
      ).toEqual(known);
      expect(found.filter((n) => n.proxy).map((n) => n.address)).toEqual([ipv4Of(0x0a00001e)]);
      expect(found.some((n) => n.address === ipv4Of(0x0a000017) && n.states.includes("INCOMPLETE"))).toBe(true);
    }
    for (const route of [
      "default via 10.0.0.20",
      "10.1.0.0/16 via 10.0.0.20 metric 7",
      "10.2.0.7 dev v0",
      "unreachable 10.3.0.0/16",
      "blackhole 10.4.0.0/16",
      "0.0.0.0/1 dev v0",
    ])
      ns.must("route", "add", ...route.split(" "));
    const truth = routes("ip-route", ns.must("route"), ["ip", "route"]);
    const shape = (r: Route, metric = true): unknown => [
      r.type,
      r.destination,
      r.table,
      r.nexthops.map((h) => [h.gateway, h.device]),
      metric ? r.metric : undefined,
    ];
    for (const [id, ...command] of [
      ["route-n", "route", "-n"],
      ["route-n", "netstat", "-rn"],
      ["proc-net-route", "cat", "/proc/net/route"],
    ] as const) {
      const found = routes(id, ns.exec(...command).out, command);
      const metric = command[0] !== "netstat";
      expect(new Set(found.map((r) => JSON.stringify(shape(r, metric))))).toEqual(
        new Set(truth.map((r) => JSON.stringify(shape(r, metric)))),
      );
    }
    const six = routes("route-n", ns.exec("route", "-6", "-n").out, ["route", "-6", "-n"]);
    expect(six.some((r) => r.family === 6 && r.destination.length === 64)).toBe(true);
  });
});
