import { ADDRESSES, ask, filter, NODE, nat, POD, ROUTES, SYSCTLS, toService } from "@hairpin/testing/dumps.ts";
import { describe, expect, test } from "vitest";

describe("a World without a fault", () => {
  test.each([POD, "node/a"])("from %s: nothing is claimed", (from) => {
    expect(ask(NODE, toService(from))).toMatchObject({ leaning: "reachable", claims: [] });
  });
});

describe("IP_FORWARD_OFF", () => {
  const off = { ...NODE, "nodes/a/sysctl.txt": SYSCTLS.replace("ip_forward = 1", "ip_forward = 0") };
  test("what must be forwarded dies, and the setting is quoted", () => {
    const { claims, causes } = ask(off, toService());
    expect(claims).toEqual(["IP_FORWARD_OFF proven"]);
    expect(causes[0]?.lines).toContain("net.ipv4.ip_forward = 0");
    expect(causes[0]?.said).toContain("cni0");
  });
  test("guard: what the node itself sends is not forwarded", () => {
    expect(ask(off, toService("node/a"))).toMatchObject({ leaning: "reachable", claims: [] });
  });
});

describe("BLACKHOLE_ROUTE", () => {
  test("the refusing route is the best match", () => {
    const routes = { ...NODE, "nodes/a/ip-route.txt": `${ROUTES}blackhole 10.244.2.7\n` };
    expect(ask(routes, toService()).claims).toEqual(["BLACKHOLE_ROUTE proven"]);
  });
  test("guard: a blackhole for the node's own block beside a longer route is normal", () => {
    const routes = { ...NODE, "nodes/a/ip-route.txt": `${ROUTES}blackhole 10.244.2.0/23\n` };
    expect(ask(routes, toService()).claims).toEqual([]);
  });
});

describe("NO_ROUTE", () => {
  const without = ROUTES.replace(/^default.*\n/m, "").replace(/^10\.244\.2.*\n/m, "");
  test("no way to the endpoint", () => {
    expect(ask({ ...NODE, "nodes/a/ip-route.txt": without }, toService()).claims).toEqual(["NO_ROUTE inferred"]);
  });
  test("guard: a default route is a way", () => {
    const routes = ROUTES.replace(/^10\.244\.2.*\n/m, "");
    expect(ask({ ...NODE, "nodes/a/ip-route.txt": routes }, toService()).codes).not.toContain("NO_ROUTE");
  });
});

describe("WRONG_POD_ROUTE", () => {
  const stale = ROUTES.replace("10.244.1.0/24 dev", "10.244.1.0/24 via 10.0.0.9 dev eth0\n10.244.1.0/24 dev");
  test("the node's own network is sent to another machine", () => {
    const files = { ...NODE, "nodes/a/ip-route.txt": stale, "nodes/a/iptables-save.txt": nat("10.244.1.6") + filter() };
    const { claims, causes } = ask(files, toService("node/a"));
    expect(claims[0]).toBe("WRONG_POD_ROUTE proven");
    expect(causes[0]?.lines).toContain("10.244.1.0/24 via 10.0.0.9 dev eth0");
  });
  test("guard: the connected route listed first wins, and nothing is wrong", () => {
    const routes = ROUTES.replace(/^(10\.244\.1\.0.*)$/m, "$1\n10.244.1.0/24 via 10.0.0.9 dev eth0");
    const files = {
      ...NODE,
      "nodes/a/ip-route.txt": routes,
      "nodes/a/iptables-save.txt": nat("10.244.1.6") + filter(),
    };
    expect(ask(files, toService("node/a")).codes).not.toContain("WRONG_POD_ROUTE");
  });
  test("behind another fault it is found, too: neither alone is proven", () => {
    const rules = nat() + filter("", "DROP");
    const files = { ...NODE, "nodes/a/ip-route.txt": stale, "nodes/a/iptables-save.txt": rules };
    expect(ask(files, toService()).claims.slice(0, 2)).toEqual([
      "FORWARD_POLICY_DROP inferred",
      "WRONG_POD_ROUTE inferred",
    ]);
  });
  test("guard: a stale route for another network is not blamed", () => {
    const routes = `${ROUTES}10.244.7.0/24 via 10.0.0.9 dev eth0\n10.244.7.0/24 dev cni0 scope link\n`;
    const rules = nat() + filter("", "DROP");
    const files = { ...NODE, "nodes/a/ip-route.txt": routes, "nodes/a/iptables-save.txt": rules };
    expect(ask(files, toService()).claims).toEqual(["FORWARD_POLICY_DROP proven"]);
  });
});

describe("LINK_DOWN", () => {
  test("the device on the way is down", () => {
    const down = ADDRESSES.replace("2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP>", "2: eth0: <BROADCAST,MULTICAST>");
    expect(ask({ ...NODE, "nodes/a/ip-addr.txt": down }, toService()).codes).toContain("LINK_DOWN");
  });
  test("guard: a device that is not on the way may be down", () => {
    const more = `${ADDRESSES}9: eth9: <BROADCAST,MULTICAST> mtu 1500 qdisc noop state DOWN group default qlen 1000
    link/ether 52:54:00:00:00:09 brd ff:ff:ff:ff:ff:ff
`;
    expect(ask({ ...NODE, "nodes/a/ip-addr.txt": more }, toService()).claims).toEqual([]);
  });
});

describe("NEIGHBOUR_FAILED", () => {
  const failed = "10.0.0.2 dev eth0 FAILED\n";
  test("the next hop does not answer", () => {
    const { codes } = ask({ ...NODE, "nodes/a/ip-neigh.txt": failed }, toService());
    expect(codes.every((c) => c === "NEIGHBOUR_FAILED")).toBe(true);
  });
  test("guard: one that was being asked for may answer yet", () => {
    const asked = ask({ ...NODE, "nodes/a/ip-neigh.txt": failed.replace("FAILED", "INCOMPLETE") }, toService());
    expect(asked.claims).toEqual(["NEIGHBOUR_FAILED possible"]);
  });
  test("guard: another neighbour that failed says nothing", () => {
    expect(ask({ ...NODE, "nodes/a/ip-neigh.txt": "10.0.0.77 dev eth0 FAILED\n" }, toService()).claims).toEqual([]);
  });
});
