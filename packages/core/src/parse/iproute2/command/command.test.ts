import { dialect } from "@hairpin/testing/segments.ts";
import { describe, expect, test } from "vitest";
import { type Device, type Neighbour, read } from "../../../model/index.ts";
import { ipv4Of } from "../../../net/index.ts";
import { sourceOf } from "../../source.ts";
import { applyLink, applyNeighbour, applyToTables } from "../apply/apply.ts";
import { printRoute } from "../route/route-print.ts";
import { printRule } from "../rule/rule-print.ts";
import type { IpCommand } from "./command.ts";
import { readIpCommand } from "./command-read.ts";

const origin = read("fix", 1);
const typed = (text: string): IpCommand => readIpCommand(text.split(" "), origin);
const as = <K extends IpCommand["kind"]>(kind: K, text: string): Extract<IpCommand, { kind: K }> => {
  const command = typed(text);
  if (command.kind !== kind) throw new Error(`${text}: ${JSON.stringify(command)}`);
  return command as Extract<IpCommand, { kind: K }>;
};

describe("commands as typed", () => {
  test.each([
    [
      "ip route add default via 172.30.187.226 dev veth0 table 100",
      "add",
      "default via 172.30.187.226 dev veth0 table 100 ",
    ],
    [
      "ip route add 172.30.187.226 dev veth0  scope link table 100".replace("  ", " "),
      "add",
      "172.30.187.226 dev veth0 table 100 scope link ",
    ],
    ["ip r a 10/8 dev eth0", "add", "10.0.0.0/8 dev eth0 scope link "],
    ["ip ro rep 10.1.2.3/16 via 10.0.0.1", "replace", "10.1.0.0/16 via 10.0.0.1 "],
    [
      "ip route append blackhole 10.0.0.0/8 proto static metric 9",
      "append",
      "blackhole 10.0.0.0/8 proto static metric 9 ",
    ],
    ["ip route add local 10.96.0.1 dev lo", "add", "local 10.96.0.1 dev lo table local scope host "],
    ["ip -6 route add default via fe80::1 dev eth0", "add", "default via fe80::1 dev eth0 metric 1024 pref medium"],
    ["ip -6 route add unreachable fd00::/64", "add", "unreachable fd00::/64 dev lo metric 1024 pref medium"],
    [
      "ip route add 10.0.0.0/8 nexthop via 10.0.0.1 dev a weight 2 nexthop via 10.0.0.2 dev b onlink",
      "add",
      "10.0.0.0/8 \n\tnexthop via 10.0.0.1 dev a weight 2 \n\tnexthop via 10.0.0.2 dev b weight 1 onlink ",
    ],
    [
      "ip route add 10.0.0.0/8 via 10.0.0.1 onlink dev eth0 mtu lock 1400 advmss 1300 src 10.0.0.5",
      "add",
      "10.0.0.0/8 via 10.0.0.1 dev eth0 src 10.0.0.5 onlink mtu lock 1400 advmss 1300 ",
    ],
    [
      "ip route add to unicast 10.0.0.0/8 oif eth0 preference 7 protocol bird",
      "add",
      "10.0.0.0/8 dev eth0 proto bird scope link metric 7 ",
    ],
  ])("%s", (text, verb, printed) => {
    const command = as("route", text);
    expect([command.verb, printRoute(command.route, { tables: true })]).toEqual([verb, printed]);
  });

  test.each([
    ["ip rule add fwmark 42 lookup 100 pref 1024", "1024:\tfrom all fwmark 0x2a lookup 100"],
    ["ip rule add to 10.0.0.1 priority 1000", "1000:\tfrom all to 10.0.0.1 lookup main"],
    ["ip ru a not from 10.0.0.0/8 t 7 pref 5".replace(" t ", " tab "), "5:\tnot from 10.0.0.0/8 lookup 7"],
    ["ip rule add dev eth0 type unreachable pref 5", "5:\tfrom all iif eth0 unreachable"],
    ["ip -6 rule add from fd00::/8 sup_pl 0 pref 5", "5:\tfrom fd00::/8 lookup main suppress_prefixlength 0"],
    ["ip rule add pref 5 ipproto udp dport 53 goto 100", "5:\tfrom all ipproto udp dport 53 goto 100"],
  ])("%s", (text, printed) => {
    const { rule } = as("rule", text);
    expect(printRule({ ...rule, preference: rule.preference ?? -1, action: rule.action! })).toBe(printed);
  });

  test("what is wrong is refused, at its word", () => {
    const refused = (text: string): unknown => {
      const command = as("unknown", text);
      return [command.reason, command.word];
    };
    expect(refused("ip route add 10.0.0.0/8 vai 10.0.0.1")).toEqual(['"vai" is not known in a route', 4]);
    expect(refused("ip route add 10.0.0.0/8 via 10.0.0.l")).toEqual(['not a value for "via"', 5]);
    expect(refused("ip -4 route add fd00::/8 dev eth0")).toEqual([
      "an address is not of the family asked for (-4)",
      undefined,
    ]);
    expect(refused("ip rule add from 10.0.0.0/33")).toEqual(['not a value for "from"', 4]);
    expect(refused("ip rule del")).toEqual(['"ip rule delete" needs arguments', undefined]);
    expect(refused("ip addr add 10.0.0.1/24")).toEqual(['the "dev" argument is required', undefined]);
    expect(refused("ip route show")).toEqual(["this changes no route", undefined]);
    expect(refused("ip tunnel add x")).toEqual(['"ip tunnel" is not modelled', undefined]);
    expect(refused("iptables -F")).toEqual(["not a command of ip or bridge", undefined]);
    expect(refused("ip route flush table")).toEqual(['not a value for "table"', 3]);
  });

  test("addresses", () => {
    expect(as("address", "ip a a 10.0.0.1/24 brd + dev eth0")).toMatchObject({
      verb: "add",
      device: "eth0",
      address: {
        prefix: { address: ipv4Of(0x0a000001), length: 24 },
        broadcast: 0x0a0000ff,
        scope: "global",
        label: "eth0",
      },
    });
    expect(as("address", "ip addr del 10.0.0.1 dev eth0")).toMatchObject({ verb: "delete", anyLength: true });
    expect(as("address", "ip addr add 127.1.0.1/8 dev lo").address?.scope).toBe("host");
    expect(as("address", "ip addr add fe80::1/64 dev eth0").address?.scope).toBe("link");
    expect(as("address", "ip addr add 10.0.0.1 peer 10.0.0.2/30 dev tun0").address).toMatchObject({
      prefix: { length: 30 },
      peer: { address: 0x0a000002, length: 30 },
    });
    expect(as("address", "ip -4 addr flush dev eth0")).toMatchObject({ verb: "flush", device: "eth0", family: 4 });
  });

  test("links and neighbours", () => {
    expect(as("link", "ip link set eth0 up mtu 1400")).toMatchObject({
      device: "eth0",
      change: { up: true, mtu: 1400 },
    });
    expect(as("link", "ip l s dev veth0 master br0")).toMatchObject({ verb: "set", change: { master: "br0" } });
    expect(as("link", "ip link set veth0 nomaster").change.master).toBeNull();
    expect(as("link", "ip link add link eth0 name eth0.5 type vlan id 5")).toMatchObject({
      verb: "add",
      device: "eth0.5",
      change: { lower: "eth0", type: "vlan", parameters: ["id", "5"] },
    });
    for (const text of [
      "ip link set dev veth0 type bridge_slave hairpin on",
      "bridge link set dev veth0 hairpin on",
      "brctl hairpin br0 veth0 on",
    ])
      expect(as("link", text)).toMatchObject({
        device: "veth0",
        change: { type: "bridge_slave", parameters: ["hairpin", "on"] },
      });
    expect(as("neighbour", "ip neigh replace 10.0.0.1 lladdr 02:00:00:00:00:01 dev eth0").neighbour).toMatchObject({
      states: ["PERMANENT"],
      mac: "02:00:00:00:00:01",
    });
  });

  test("scripts", () => {
    const text =
      '# make the mark count\nsudo ip rule add fwmark 42 lookup 100 pref 1024 # comment\nip route add default via 10.0.0.1 table 100 || true\nip link set eth0 alias "up link"\nip route add nonsense\n';
    const reading = dialect("ip-commands").read(sourceOf("fix.sh", text), {});
    const facts = reading.facts[0];
    expect(facts?.kind === "ip-commands" && facts.commands.map((c) => c.kind)).toEqual([
      "rule",
      "route",
      "link",
      "unknown",
    ]);
    expect(reading.diagnostics.map((d) => [d.line, d.column, d.severity])).toEqual([[5, 14, "error"]]);
  });
});

describe("changes to the model", () => {
  const device = (name: string, more: Partial<Device> = {}): Device => ({
    name,
    kind: "unknown",
    addresses: [],
    addressesKnown: true,
    origin,
    ...more,
  });
  test("links", () => {
    const before = [
      device("eth0", { flags: ["BROADCAST", "UP", "LOWER_UP"], up: true, carrier: true }),
      device("veth0", {
        kind: "veth",
        peer: { name: "veth1" },
        master: "br0",
        port: { hairpin: false, learning: true },
      }),
      device("veth1", { kind: "veth", peer: { name: "veth0" } }),
    ];
    const run = (text: string) => applyLink(before, as("link", text));
    const changedBy = (text: string): readonly Device[] => {
      const result = run(text);
      if (!result.ok) throw new Error(result.message);
      return result.value;
    };
    expect(changedBy("ip link set eth0 down")[0]).toMatchObject({ up: false, flags: ["BROADCAST"] });
    expect(changedBy("ip link set eth0 down")[0]).not.toHaveProperty("carrier");
    expect(changedBy("bridge link set dev veth0 hairpin on")[1]?.port).toEqual({ hairpin: true, learning: true });
    expect(changedBy("ip link set veth0 nomaster")[1]).not.toHaveProperty("master");
    expect(changedBy("ip link del veth0").map((d) => d.name)).toEqual(["eth0"]);
    expect(changedBy("ip link set veth1 netns blue").map((d) => d.name)).toEqual(["eth0", "veth0"]);
    expect(changedBy("ip link add kube-ipvs0 type dummy")[3]).toMatchObject({
      name: "kube-ipvs0",
      kind: "dummy",
      up: false,
    });
    expect(changedBy("ip link add link eth0 name eth0.5 type vlan id 5")[3]).toMatchObject({
      kind: "vlan",
      lower: "eth0",
      vlan: { id: 5 },
    });
    expect(run("ip link set nosuch up")).toMatchObject({ ok: false, error: "ENODEV" });
    expect(run("ip link add eth0 type dummy")).toMatchObject({ ok: false, error: "EEXIST" });
  });
  test("neighbours", () => {
    const before: Neighbour[] = [
      {
        address: ipv4Of(0x0a000001),
        device: "eth0",
        mac: "02:00:00:00:00:01",
        states: ["STALE"],
        router: false,
        proxy: false,
        origin,
      },
    ];
    const run = (text: string) => applyNeighbour(before, as("neighbour", text));
    expect(run("ip neigh add 10.0.0.1 lladdr 02:00:00:00:00:02 dev eth0")).toMatchObject({
      ok: false,
      error: "EEXIST",
    });
    expect(run("ip neigh replace 10.0.0.1 lladdr 02:00:00:00:00:02 dev eth0")).toMatchObject({
      ok: true,
      value: [{ mac: "02:00:00:00:00:02" }],
    });
    expect(run("ip neigh del 10.0.0.9 dev eth0")).toMatchObject({ ok: false, error: "ENOENT" });
    expect(run("ip neigh flush dev eth0")).toMatchObject({ ok: true, value: [] });
  });
  test("a table that is not there yet is made, and no more is said of it than what was added", () => {
    const result = applyToTables([], as("route", "ip route add default via 10.0.0.1 dev eth0 table 100"));
    expect(result).toMatchObject({ ok: true, value: [{ id: 100, family: 4, extent: "partial" }] });
    expect(applyToTables([], as("route-removal", "ip route del default table 100"))).toMatchObject({
      ok: false,
      error: "ESRCH",
    });
    expect(applyToTables([], as("route-removal", "ip route flush table 100"))).toMatchObject({ ok: true });
  });
});
