import { describe, expect, test } from "vitest";
import { readCase } from "../case/read-case.ts";
import { mayHold, PlaceholderTable, placeholdersIn } from "./placeholder.ts";

describe("placeholders", () => {
  test.each([
    ["10.0.0.1.400 > <SLB-IP>.80: Flags [S]", ["<SLB-IP>"]],
    ["inet x.x.x.x/24 scope global eth0", ["x.x.x.x"]],
    ["10.0.x.x/16 via 10.*.*.1 dev eth0", ["10.0.x.x", "10.*.*.1"]],
    ["<负载均衡地址>:80", ["<负载均衡地址>"]],
    ["1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536", []],
    ["kubernetes ClusterIP 10.0.0.1 <none> 443/TCP", []],
    ["    cache <local>", []],
    ["5: dummy0: <NOARP> mtu 1500", []],
    ["    vlan protocol 802.1Q id 12 <REORDER_HDR> numtxqueues 1", []],
    ["a <br> b <code> c", []],
    ["v1.2.3.4", []],
  ])("in %j", (line, names) => expect(placeholdersIn(line)).toEqual(names));

  const learnt = (...lines: string[]) => {
    const table = new PlaceholderTable();
    lines.forEach((text, i) => {
      table.learn("f", i + 1, text);
    });
    return table;
  };
  test.each([
    ["02:23 IP <VIP> > 172.20.1.8: ICMP 192.0.2.77 tcp port 80 unreachable, length 68", "192.0.2.77"],
    ["where <VIP> = 192.0.2.77", "192.0.2.77"],
    ["PING 192.0.2.77 (<VIP>): 56 data bytes", "192.0.2.77"],
    ["<VIP>是192.0.2.77", "192.0.2.77"],
  ])("%j shows the value", (line, value) => expect(learnt(line).valueOf("<VIP>")?.value).toBe(value));

  test("two values are no value", () => {
    expect(learnt("<VIP> = 192.0.2.1", "<VIP> = 192.0.2.2").valueOf("<VIP>")).toBeUndefined();
  });
  test("host unreachable is sent by a router and shows nothing", () => {
    expect(learnt("IP <GW> > 10.0.0.1: ICMP host 192.0.2.7 unreachable").valueOf("<GW>")).toBeUndefined();
  });

  test("a known one is filled in and noted", () => {
    const text = "where <GW> is 10.0.0.1\n\n```\n$ ip route\ndefault via <GW> dev eth0\n```\n";
    const [dump] = readCase([{ path: "a.md", text }]).dumps;
    const [facts] = dump?.reading.facts ?? [];
    expect(facts?.kind === "routes" && facts.routes[0]?.nexthops[0]?.gateway).toBe(0x0a000001);
    expect(dump?.reading.diagnostics.map((d) => [d.code, d.severity])).toEqual([["placeholder-filled", "note"]]);
  });
  test("an unknown one is said and never invented", () => {
    const [dump] = readCase([{ path: "a.md", text: "$ ip route\ndefault via <GW> dev eth0\n" }]).dumps;
    expect(dump?.dialect.id).toBe("ip-route");
    expect(dump?.reading.diagnostics.map((d) => [d.code, d.line])).toEqual([["placeholder", 2]]);
  });
});

test.each([
  ["10.0.0.X", true],
  ["X.0.0.10", true],
  ["10.0.0.1 X", false],
])("a text full of the letter is searched to its end: %s", (end, holds) =>
  expect(mayHold(`${"KUBE-SEP-XXXX 10.0.0.1 ".repeat(200)}${end}`)).toBe(holds),
);
