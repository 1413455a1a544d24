import { dialect } from "@hairpin/testing/segments.ts";
import { afterAll, describe, expect, test } from "vitest";
import type { Route, RouteGet } from "../../packages/core/src/model/index.ts";
import { routesToCommands } from "../../packages/core/src/parse/iproute2/command/to-commands.ts";
import { printRoute } from "../../packages/core/src/parse/iproute2/route/route-print.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";
import { bare, canNetns, Netns, random } from "./netns.ts";

const ROUTES: readonly string[] = [
  "default via 10.0.0.2",
  "default via 10.0.0.3 metric 100 proto dhcp src 10.0.0.1",
  "10.1.0.0/16 via 10.0.0.2",
  "10.1.0.0/24 via 10.0.0.3 dev v0 proto bird",
  "10.1.0.7 dev v0 scope link",
  "10.1.0.8 dev v0 scope host",
  "10.2.0.0/16 dev v0",
  "10.2.0.0/16 dev v0 metric 5 proto static",
  "10.2.0.0/16 via 10.0.0.9 tos 0x10",
  "10.3.0.0/16 via 10.244.9.0 dev v0 onlink",
  "10.4.0.0/16 via 10.0.0.2 mtu 1400",
  "10.4.1.0/24 via 10.0.0.2 mtu lock 1400 advmss 1300",
  "10.4.2.0/24 via 10.0.0.2 realm 5 hoplimit 64 initcwnd 10 initrwnd 20 rto_min 50ms quickack 1 window 1000",
  "10.4.3.0/24 via 10.0.0.2 rtt 300ms rttvar 20ms ssthresh 100 cwnd 10 reordering 3 features ecn",
  "10.4.4.0/24 via 10.0.0.2 congctl cubic fastopen_no_cookie 1 advmss lock 1200",
  "10.5.0.0/16 nexthop via 10.0.0.2 weight 3 nexthop via 10.0.0.3 dev v0 weight 1",
  "10.5.1.0/24 proto static metric 7 src 10.0.0.1 nexthop via 10.0.0.2 nexthop dev v2 weight 9 nexthop via 10.244.9.9 dev v0 onlink",
  "10.6.0.0/16 via inet6 fe80::1 dev v0",
  "blackhole 10.7.0.0/16",
  "blackhole 10.7.1.0/26 proto bird",
  "unreachable 10.8.0.0/16 metric 20",
  "prohibit 10.9.0.0/16",
  "throw 10.10.0.0/16 table 100",
  "default via 10.0.0.2 dev v0 table 100",
  "10.11.0.0/16 dev v0 table 1003 scope link src 10.0.0.1",
  "local 10.12.0.0/16 dev lo table 1003",
  "local 10.96.0.1 dev lo table local",
  "broadcast 10.13.255.255 dev v0 table 100",
  "10.14.0.0/16 encap ip id 7 dst 10.1.1.1 via 10.0.0.2",
  "10.15.0.0/16 nhid 3",
  "10.16.0.0/16 nhid 1 proto zebra",
  "multicast 239.0.0.0/8 dev v0 table 100",
  "0.0.0.0/1 via 10.0.0.2 proto 77",
  "128.0.0.0/1 via 10.0.0.2 metric 4294967295",
];
const ROUTES6: readonly string[] = [
  "default via fd00::2",
  "default via fe80::2 dev v0 metric 100 proto ra pref high",
  "fd01::/64 via fd00::2",
  "fd01:0:0:1::/64 dev v0 metric 5 proto static",
  "fd02::1 via fd00::3 src fd00::1",
  "fd03::/64 nexthop via fd00::2 weight 2 nexthop via fd00::3",
  "fd04::/64 via fd00::2 mtu lock 1400 hoplimit 3",
  "blackhole fd05::/64",
  "unreachable fd06::/64 metric 8",
  "prohibit fd07::/64",
  "throw fd08::/64 table 100",
  "fd09::/64 via fe80::9 dev v0 onlink pref low",
  "fd0a::/64 dev v0 expires 1000",
  "fd0b::/64 from fd00::/16 via fd00::2",
  "local fd0c::/64 dev lo table local",
];

function links(ns: Netns): void {
  ns.must("link", "add", "v0", "type", "veth", "peer", "name", "v1");
  ns.must("link", "add", "v2", "type", "veth", "peer", "name", "v3");
  for (const dev of ["v0", "v1", "v2", "v3"]) {
    ns.exec("sysctl", "-qw", `net.ipv6.conf.${dev}.addr_gen_mode=1`, `net.ipv6.conf.${dev}.accept_dad=0`);
    ns.must("link", "set", dev, "up");
  }
  ns.must("addr", "add", "10.0.0.1/24", "dev", "v0");
  ns.must("addr", "add", "10.0.5.1/24", "brd", "+", "dev", "v2");
  ns.must("addr", "add", "fd00::1/64", "dev", "v0", "nodad");
  ns.must("nexthop", "add", "id", "1", "via", "10.0.0.2", "dev", "v0");
  ns.must("nexthop", "add", "id", "2", "via", "10.0.5.2", "dev", "v2");
  ns.must("nexthop", "add", "id", "3", "group", "1,5/2");
}

function routesOf(id: string, text: string, command: readonly string[]): readonly Route[] {
  const reading = dialect(id).read(sourceOf("x", text), { command });
  expect(reading.diagnostics).toEqual([]);
  return reading.facts.flatMap((f) => (f.kind === "routes" ? f.routes : []));
}

/** JSON has no `lock`. */
const unlocked = (routes: readonly Route[]): unknown =>
  bare(
    routes.map(({ locked, ...r }) => ({
      ...r,
      extra: r.extra.map((p) => p.replace(" lock ", " ").replace(/^expires .*/, "expires")),
    })),
  );
const steady = (text: string): string => text.replace(/expires \d+sec/g, "expires 9sec");

describe.skipIf(!canNetns)("routes of a real kernel", () => {
  const opened: Netns[] = [];
  const open = (): Netns => {
    const ns = new Netns();
    opened.push(ns);
    links(ns);
    return ns;
  };
  afterAll(() => {
    for (const ns of opened) ns.close();
  });

  const compareForms = (ns: Netns, family: 4 | 6, which: readonly string[]): readonly Route[] => {
    const flag = [`-${family}`];
    const show = ["route", "show", ...which];
    const plain = steady(ns.must(...flag, ...show));
    const parsed = routesOf("ip-route", plain, ["ip", ...flag, ...show]);
    const tables = which.includes("all");
    expect(`${parsed.map((r) => printRoute(r, { tables })).join("\n")}\n`).toBe(plain);
    const details = steady(ns.must(...flag, "-d", ...show));
    const detailed = routesOf("ip-route", details, ["ip", ...flag, "-d", ...show]);
    expect(bare(detailed)).toEqual(bare(parsed));
    const printed = detailed.map((r) => printRoute(r, { tables, details: true })).join("\n");
    expect(`${printed}\n`).toBe(details.replace(/\n\tnh_info [^\n]*/g, ""));
    for (const [id, ...form] of [
      ["ip-route", "-o"],
      ["ip-route", "-c=always"],
      ["ip-route", "-s"],
      ["ip-route", "-N"],
      ["ip-json", "-j"],
      ["ip-json", "-j", "-p"],
      ["ip-json", "-j", "-d"],
    ] as const) {
      const text = ns.must(...flag, ...form, ...show);
      const again = routesOf(id, text, ["ip", ...flag, ...form, ...show]);
      if (id === "ip-json") expect(unlocked(again)).toEqual(unlocked(parsed));
      else expect(bare(again.map(steadyRoute))).toEqual(bare(parsed.map(steadyRoute)));
    }
    return parsed;
  };
  /** -s adds counters, and time goes on. */
  const steadyRoute = (r: Route): Route => ({
    ...r,
    extra: r.extra.filter((p) => !/^(users|used|age|expires) /.test(p)),
  });

  test.each([
    [4 as const, ROUTES],
    [6 as const, ROUTES6],
  ])("IPv%d: every form says the same, is printed back, and can be made again", (family, wanted) => {
    const ns = open();
    const refusedByKernel = wanted.filter((r) => !ns.ip(`-${family}`, "route", "append", ...r.split(" ")).ok);
    // fastopen_no_cookie and source routing hang on the kernel's build.
    expect(refusedByKernel.filter((r) => !/ from |encap/.test(r))).toEqual([]);
    for (const which of [[], ["table", "100"], ["table", "local"], ["table", "all"]]) compareForms(ns, family, which);

    const all = compareForms(ns, family, ["table", "all"]);
    const second = open();
    const isMade = (r: Route): boolean => r.protocol !== "kernel";
    const failed = routesToCommands(all.filter(isMade)).flatMap((c) => {
      const result = second.ip(...c);
      return result.ok ? [] : [`${c.join(" ")}: ${result.error}`];
    });
    expect(failed).toEqual([]);
    const show = [`-${family}`, "route", "show", "table", "all"];
    const lines = (text: string): string[] => steady(text).split("\n");
    expect(lines(second.must(...show))).toEqual(lines(ns.must(...show)));
  });

  test("`table all` lists both families", () => {
    const ns = open();
    for (const r of ["10.1.0.0/16 via 10.0.0.2", "default via 10.0.0.2 table 100"])
      ns.must("route", "add", ...r.split(" "));
    for (const r of ["default dev v0 metric 7", "blackhole fd05::/64"]) ns.must("-6", "route", "add", ...r.split(" "));
    const text = ns.must("route", "show", "table", "all");
    const reading = dialect("ip-route").read(sourceOf("x", text), { command: ["ip", "route", "show", "table", "all"] });
    expect(reading.diagnostics).toEqual([]);
    expect(reading.facts.map((f) => f.kind === "routes" && [f.family, f.tables, f.extent])).toEqual([
      [4, "all", "whole"],
      [6, "all", "whole"],
    ]);
    const [four, six] = reading.facts.map((f) => (f.kind === "routes" ? f.routes.length : 0));
    const count = (family: string): number => ns.must(family, "route", "show", "table", "all").split("\n").length - 1;
    expect([four, six]).toEqual([count("-4"), count("-6")]);
  });

  test("what a filter leaves out is known from the command", () => {
    const ns = open();
    for (const r of ["10.1.0.0/16 via 10.0.0.2 proto static", "10.2.0.0/16 dev v0 proto static src 10.0.0.1"])
      ns.must("route", "add", ...r.split(" "));
    const all = routesOf("ip-route", ns.must("route"), ["ip", "route"]);
    for (const filter of [
      "dev v0",
      "proto static",
      "scope link",
      "via 10.0.0.2",
      "src 10.0.0.1",
      "table main",
      "10.1.0.0/16",
    ]) {
      const command = ["ip", "route", "show", ...filter.split(" ")];
      const some = routesOf("ip-route", ns.must(...command.slice(1)), command);
      expect(some.length).toBeGreaterThan(0);
      for (const route of some) expect(bare(all)).toContainEqual(bare(route));
    }
  });

  test("random routes, in the text of all tables", () => {
    const ns = open();
    const dice = random(20240817);
    const commands: string[][] = [];
    for (let i = 0; i < 400; i++) {
      const length = 8 + dice(25);
      const net = ((dice(0x10000) * 0x10000 + dice(0x10000)) & (0xffffffff << (32 - length))) >>> 0;
      const address = [24, 16, 8, 0].map((n) => (net >>> n) & 255).join(".");
      const words = ["route", "append"];
      const type = ["", "", "", "blackhole", "unreachable", "prohibit", "throw"][dice(7)]!;
      if (type !== "") words.push(type);
      words.push(length === 32 ? address : `${address}/${length}`);
      if (type === "")
        words.push(
          ...[
            ["via", `10.0.0.${2 + dice(200)}`],
            ["dev", "v0"],
            ["dev", "v2", "scope", "link"],
          ][dice(3)]!,
        );
      if (dice(3) === 0) words.push("metric", String(dice(1000)));
      if (dice(3) === 0) words.push("proto", ["static", "bird", "dhcp", "zebra", "200"][dice(5)]!);
      if (dice(4) === 0) words.push("table", String(1 + dice(5)));
      if (type === "" && dice(4) === 0) words.push("src", "10.0.0.1");
      if (type === "" && dice(5) === 0) words.push("mtu", ...(dice(2) === 0 ? ["lock"] : []), String(600 + dice(900)));
      commands.push(words);
    }
    ns.batch(commands);
    const parsed = compareForms(ns, 4, ["table", "all"]);
    expect(parsed.length).toBeGreaterThan(350);
  });

  test("ip route get", () => {
    const ns = open();
    ns.must("route", "add", "10.1.0.0/16", "via", "10.0.0.2", "mtu", "1400");
    ns.must("route", "add", "unreachable", "10.8.0.0/16");
    ns.must("rule", "add", "fwmark", "7", "lookup", "100");
    ns.must("route", "add", "10.9.0.0/16", "via", "10.0.0.3", "table", "100");
    const get = (id: string, ...words: string[]): RouteGet => {
      const result = ns.ip(...words);
      const reading = dialect(id).read(sourceOf("x", result.out === "" ? result.error : result.out), {
        command: ["ip", ...words],
      });
      expect(reading.diagnostics).toEqual([]);
      const facts = reading.facts[0];
      if (facts?.kind !== "route-gets") throw new Error(result.out);
      return facts.answers[0]!;
    };
    const shown = [
      ["10.1.2.3"],
      ["10.0.0.1"],
      ["10.0.5.255"],
      ["127.0.0.1"],
      ["10.9.1.1", "mark", "7"],
      ["10.1.2.3", "from", "10.0.0.1"],
      ["10.1.2.3", "from", "10.0.5.9", "iif", "v2"],
      ["fd00::9"],
      ["fd00::1"],
    ];
    ns.exec("sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv4.conf.all.rp_filter=0", "net.ipv4.conf.v2.rp_filter=0");
    const answers = shown.map((words) => get("ip-route-get", "route", "get", ...words));
    expect(answers.map((a) => [a.type, a.device, a.mark ?? 0])).toEqual([
      ["unicast", "v0", 0],
      ["local", "lo", 0],
      ["broadcast", "v2", 0],
      ["local", "lo", 0],
      ["unicast", "v0", 7],
      ["unicast", "v0", 0],
      ["unicast", "v0", 0],
      ["unicast", "v0", 0],
      ["local", "lo", 0],
    ]);
    expect(answers[6]?.iif).toBe("v2");
    expect(answers[0]?.mtu).toBe(1400);
    for (const [i, words] of shown.entries()) {
      const { extra: _, cacheFlags: flags, ...json } = get("ip-json", "-j", "route", "get", ...words);
      const { extra: __, cacheFlags, ...text } = answers[i]!;
      expect(bare(json)).toEqual(bare(text));
      expect(flags ?? []).toEqual(cacheFlags ?? []);
    }
    expect(get("ip-route-get", "route", "get", "10.8.1.1").error).toMatch(/No route to host/);
    expect(get("ip-route-get", "route", "get", "203.0.113.9").error).toMatch(/Network is unreachable/);
  });
});
