import { type Route, TABLE_LOCAL, TABLE_MAIN } from "@hairpin/core/model/index.ts";
import { formatPrefix } from "@hairpin/core/net/index.ts";
import { realise } from "@hairpin/lab/realise/index.ts";
import { describe, expect, test } from "vitest";
import { device, ip, net, origin, route, segment, stack, underlay, veth, world } from "./world.ts";

const plan = (...args: Parameters<typeof world>) => realise(world(...args), { stimuli: [] });
const shown = (routes: readonly Route[]) =>
  routes.map((r) => `${r.type} ${formatPrefix(r.destination)} ${r.nexthops.map((h) => h.device).join()} ${r.table}`);

describe("routes", () => {
  const eth0 = device("eth0", "veth", ["10.0.0.5/24"]);
  const only = (routes: readonly Route[], extent: "whole" | "partial" | "unread" = "whole", id = TABLE_MAIN) =>
    plan([stack("n", "node", [eth0], [], { routeTables: [{ id, family: 4, routes, extent }] })], []).plan.stacks[0]!;

  test("what the kernel adds by itself is not added again", () => {
    const made = plan([stack("n", "node", [eth0], [route("0.0.0.0/0", "10.0.0.1", "eth0")])], []).plan.stacks[0]!;
    expect(shown(made.routes)).toEqual(["unicast 0.0.0.0/0 eth0 254"]);
    expect(made.removedRoutes).toEqual([]);
  });

  test("what the kernel adds and a whole listing lacks is taken away", () => {
    expect(shown(only([]).removedRoutes)).toEqual(["unicast 10.0.0.0/24 eth0 254"]);
    expect(only([], "partial").removedRoutes).toEqual([]);
    expect(only([], "unread").removedRoutes).toEqual([]);
  });

  test("a connected route with another source is put in its place", () => {
    const other = route("10.0.0.0/24", undefined, "eth0", { prefSrc: ip("10.0.0.9") });
    expect(shown(only([other]).removedRoutes)).toEqual(["unicast 10.0.0.0/24 eth0 254"]);
    expect(only([other]).routes).toHaveLength(1);
  });

  test("of the local table only what no address explains is added", () => {
    const local = (to: string, type: Route["type"] = "local") => ({
      ...route(to, undefined, "eth0"),
      type,
      table: TABLE_LOCAL,
    });
    const routes = [
      { ...local("10.0.0.5/32"), prefSrc: ip("10.0.0.5") },
      local("10.0.0.255/32", "broadcast"),
      local("127.0.0.0/8"),
      local("10.96.0.0/16"),
    ];
    expect(shown(only(routes, "whole", TABLE_LOCAL).routes)).toEqual(["local 10.96.0.0/16 eth0 255"]);
  });

  test("tables with names get numbers, the same in rules", () => {
    const made = plan(
      [
        stack("n", "node", [eth0], [], {
          routeTables: [{ id: "vpc", family: 4, routes: [route("0.0.0.0/0", "10.0.0.1", "eth0")], extent: "whole" }],
          routingRules: {
            extent: "whole",
            items: [
              { family: 4, preference: 9, not: false, action: { kind: "lookup", table: "vpc" }, unknown: [], origin },
            ],
          },
        }),
      ],
      [],
    ).plan.stacks[0]!;
    expect(made.rules![0]!.action).toEqual({ kind: "lookup", table: made.routes[0]!.table });
    expect(typeof made.routes[0]!.table).toBe("number");
  });

  test("a route through a device that is not there is told, not tried", () => {
    const { plan: made, remarks } = plan([stack("n", "node", [eth0], [route("10.9.0.0/16", undefined, "tun9")])], []);
    expect(made.stacks[0]!.routes).toEqual([]);
    expect(remarks).toContainEqual({ kind: "missing", stack: "n", text: "routes through tun9, which is not there" });
  });
});

describe("links", () => {
  const host = (name: string) => stack(name, "vm", [device("eth0", "ethernet", [`10.0.0.${name.length}/24`])]);

  test("two ends are a cable, three a switch that passes all", () => {
    const two = plan([host("a"), host("bb")], [segment("s", "a:eth0", "bb:eth0")]).plan;
    expect([two.stacks.length, two.cables.length]).toEqual([2, 1]);
    const three = plan([host("a"), host("bb"), host("ccc")], [segment("s", "a:eth0", "bb:eth0", "ccc:eth0")]).plan;
    expect(three.stacks.at(-1)).toMatchObject({ name: "switch s", role: "switch" });
    expect(three.cables).toHaveLength(3);
    expect(three.stacks.at(-1)!.sysctls).toContainEqual(["net.bridge.bridge-nf-call-iptables", "0"]);
  });

  test("cards nobody linked are on the underlay; veths nobody linked lead nowhere, and that is said", () => {
    const { plan: made, remarks } = plan([host("a"), stack("n", "node", [device("cali1", "veth")])], []);
    expect(made.stacks.map((s) => s.name)).toEqual(["a", "n", "fabric"]);
    expect(made.cables).toHaveLength(1);
    expect(remarks).toContainEqual({
      kind: "missing",
      stack: "n",
      text: "the far end of cali1, which nobody described",
    });
  });

  test("the underlay reaches pods by the card their node would answer from", () => {
    const node = stack(
      "node",
      "node",
      [device("eth0", "ethernet", ["10.0.0.1/24"]), device("eth1", "ethernet"), device("v", "veth")],
      [route("0.0.0.0/0", "10.0.0.254", "eth0")],
      {
        routingRules: {
          extent: "whole",
          items: [
            {
              family: 4,
              preference: 9,
              not: false,
              from: net("10.1.0.2/32"),
              action: { kind: "lookup", table: 7 },
              unknown: [],
              origin,
            },
          ],
        },
      },
    );
    const tables = [
      ...node.routeTables,
      {
        id: 7,
        family: 4 as const,
        extent: "whole" as const,
        routes: [{ ...route("0.0.0.0/0", undefined, "eth1"), table: 7 }],
      },
    ];
    const pods = [2, 3].map((n) =>
      stack(`pod${n}`, "pod", [device("eth0", "veth", [`10.1.0.${n}/32`])], [], { node: "node" }),
    );
    const made = plan(
      [{ ...node, routeTables: tables }, ...pods],
      [veth("node:v", "pod2:eth0"), underlay("node:eth0", "node:eth1")],
    ).plan;
    const fabric = made.stacks.find((s) => s.role === "fabric")!;
    const by = (to: string) => fabric.routes.find((r) => formatPrefix(r.destination) === to)?.nexthops[0]?.device;
    expect([by("10.0.0.1/32"), by("10.1.0.2/32"), by("10.1.0.3/32")]).toEqual(["f0", "f1", "f0"]);
  });
});

test("open facts take the value that was chosen, by the ids of hypotheses", () => {
  const w = world([stack("n", "node", [device("eth0.5", "vlan", [], { lower: "eth0" })])], []);
  const facts = new Map([["n/sysctl/net.ipv4.conf.eth0.5.rp_filter", "1"]]);
  const chosen = realise(w, { stimuli: [], facts });
  expect(chosen.plan.stacks[0]!.sysctls).toContainEqual(["net.ipv4.conf.eth0/5.rp_filter", "1"]);
  expect(realise(w, { stimuli: [] }).remarks).toContainEqual({
    kind: "assumed",
    stack: "n",
    text: "net.ipv4.conf.eth0/5.rp_filter = 0",
  });
  expect(chosen.needs).toEqual(["8021q"]);
});

test("every card has a MAC of its own, known beforehand", () => {
  const made = plan(
    ["a", "b"].map((n) =>
      stack(n, "node", [device("eth0", "ethernet"), device("br0", "bridge"), device("tun0", "tun")]),
    ),
    [],
  ).plan;
  const macs = made.stacks.slice(0, 2).flatMap((s) => s.devices.filter((d) => d.kind !== "loopback").map((d) => d.mac));
  expect(macs.filter((m) => m === undefined)).toHaveLength(2);
  const known = macs.filter((m) => m !== undefined);
  expect(new Set(known).size).toBe(known.length);
});

test("a port of which nobody showed whether it hairpins does what was chosen", () => {
  const devices = [device("br0", "bridge", ["10.0.0.1/24"]), device("p0", "veth", [], { master: "br0" })];
  const made = (facts: readonly (readonly [string, string])[]) =>
    realise(world([stack("n", "node", devices)], []), {
      stimuli: [],
      facts: new Map(facts),
    }).plan.stacks[0]!.devices.find((d) => d.name === "p0")?.port?.hairpin;
  expect(made([["n/hairpin/p0", "on"]])).toBe(true);
  expect(made([["n/hairpin/p0", "off"]])).toBe(false);
  expect(made([])).toBeUndefined();
});
