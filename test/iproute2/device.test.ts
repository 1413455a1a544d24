import { dialect } from "@hairpin/testing/segments.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Device } from "../../packages/core/src/model/index.ts";
import { isIpv4 } from "../../packages/core/src/net/index.ts";
import type { Facts } from "../../packages/core/src/parse/facts.ts";
import { addressesToCommands } from "../../packages/core/src/parse/iproute2/command/to-commands.ts";
import { printAddresses } from "../../packages/core/src/parse/iproute2/device/address-print.ts";
import { linksToCommands } from "../../packages/core/src/parse/iproute2/device/link-commands.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";
import { bare, canNetns, haveTool, Netns } from "./netns.ts";

type DeviceFacts = Extract<Facts, { kind: "devices" }>;

function devicesOf(id: string, text: string, command?: readonly string[]): DeviceFacts {
  const reading = dialect(id).read(sourceOf("x", text), command === undefined ? {} : { command });
  expect(reading.diagnostics).toEqual([]);
  const facts = reading.facts[0];
  if (facts?.kind !== "devices") throw new Error(`no devices in ${text}`);
  return facts;
}

/** What every form that shows links agrees on. */
const link = (d: Device) => ({
  name: d.name,
  index: d.index,
  flags: d.flags,
  up: d.up,
  carrier: d.carrier,
  mtu: d.mtu,
});
const addresses = (d: Device) => ({ name: d.name, addresses: bare(d.addresses) });
/** -br shows neither scope nor flags nor label. */
const short = (d: Device) => ({
  name: d.name,
  addresses: d.addresses.map((a) => bare({ prefix: a.prefix, peer: a.peer, metric: a.metric })),
});

function build(ns: Netns): void {
  for (const command of [
    "link add v0 type veth peer name v1",
    "link add pod0 type veth peer name eth0",
    "link add br0 type bridge",
    "link add vx0 type vxlan id 42 local 10.0.0.1 dev v0 dstport 8472 nolearning ttl 8",
    "link add vx1 type vxlan id 43 group 239.1.1.1 dev v0 dstport 4789",
    "link add vx2 type vxlan external dstport 4790",
    "link add ifb9 type ifb",
    "tuntap add dev flannel0 mode tun",
    "tuntap add dev tap7 mode tap",
    "link set v1 master br0",
    "link set tap7 master br0",
    "link set v1 type bridge_slave hairpin on isolated on",
    "link set tap7 type bridge_slave learning off flood off",
    "link property add dev v0 altname enp0s31f6 altname wan",
    "link set v0 mtu 9001 up",
    "link set v1 up",
    "link set br0 up",
    "link set vx0 up",
    "link set flannel0 up",
    "link set pod0 group 7",
    "addr add 10.0.0.1/24 brd + dev v0",
    "addr add 10.0.0.9/24 dev v0 label v0:one",
    "addr add 10.0.7.1/32 dev v0 metric 77 noprefixroute",
    "addr add 10.0.5.1 peer 10.0.5.2 dev v0",
    "addr add 10.0.6.1 peer 10.0.6.7/24 dev v0",
    "addr add 169.254.20.10/32 scope link dev ifb9",
    "addr add 10.96.0.1/32 scope host dev ifb9",
    "addr add 10.20.0.1/32 brd 10.20.0.1 dev ifb9",
    "addr add 10.0.8.1/24 dev br0 valid_lft 4000 preferred_lft 3000",
    "addr add 172.17.0.1/16 dev flannel0",
    "-6 addr add fd00::1/64 dev v0 nodad",
    "-6 addr add fd00::2/128 dev v0 nodad preferred_lft 0",
    "-6 addr add fd00::3/64 dev br0 nodad mngtmpaddr home",
  ])
    ns.must(...command.split(" "));
  ns.must("link", "set", "v0", "alias", "uplink to the rack");
}

describe.skipIf(!canNetns)("devices of a real kernel", () => {
  let ns: Netns;
  let pod: Netns;
  const opened: Netns[] = [];
  beforeAll(() => {
    ns = new Netns();
    pod = new Netns();
    opened.push(ns, pod);
    for (const n of opened)
      n.exec("sysctl", "-qw", "net.ipv6.conf.default.addr_gen_mode=1", "net.ipv6.conf.default.accept_dad=0");
    build(ns);
    ns.must("link", "set", "eth0", "netns", pod.name);
    pod.must("link", "set", "eth0", "up");
    ns.must("link", "set", "pod0", "up");
    pod.must("addr", "add", "10.244.0.5/32", "dev", "eth0");
  });
  afterAll(() => {
    for (const n of opened) n.close();
  });

  /** Lifetimes run down between two calls. */
  const steady = (text: string): string =>
    text.replace(/_lft [1-9]\d*sec/g, "_lft 9sec").replace(/_life_time": ?[1-9]\d{0,5}\b/g, '_life_time":9');
  const show = (...words: string[]): string => steady(ns.must(...words));

  test("ip addr in every form", () => {
    const details = devicesOf("ip-addr", show("-d", "addr"), ["ip", "-d", "addr"]);
    const all = details.devices;
    expect(details.extent).toBe("whole");
    expect(details.shows).toEqual(["link", "ipv4", "ipv6", "bridge-port"]);
    expect(all.every((d) => d.addressesKnown)).toBe(true);
    expect(Object.fromEntries(all.map((d) => [d.name, d.kind]))).toEqual({
      lo: "loopback",
      v0: "veth",
      v1: "veth",
      pod0: "veth",
      br0: "bridge",
      vx0: "vxlan",
      vx1: "vxlan",
      vx2: "vxlan",
      ifb9: "ifb",
      flannel0: "tun",
      tap7: "tap",
    });
    for (const [id, ...form] of [
      ["ip-addr"],
      ["ip-addr", "-c=always"],
      ["ip-addr", "-s"],
      ["ip-json", "-j"],
      ["ip-json", "-j", "-p"],
      ["ip-json", "-j", "-d"],
    ] as const) {
      const facts = devicesOf(id, show(...form, "addr"), ["ip", ...form, "addr"]);
      expect(facts.devices.map(link)).toEqual(all.map(link));
      expect(facts.devices.map(addresses)).toEqual(all.map(addresses));
      expect(facts.devices.map((d) => [d.mac, d.master, d.operState, d.group, d.peer?.index])).toEqual(
        all.map((d) => [d.mac, d.master, d.operState, d.group, d.peer?.index]),
      );
    }
    const json = devicesOf("ip-json", show("-j", "-d", "addr"), ["ip", "-j", "-d", "addr"]).devices;
    // The text names a known namespace, JSON only its number.
    const anyNetns = (d: Device): unknown => {
      const { peer, ...rest } = d;
      return bare({ ...rest, peer: peer === undefined ? undefined : { name: peer.name, index: peer.index } });
    };
    expect(json.map(anyNetns)).toEqual(all.map(anyNetns));
    const oneline = devicesOf("ip-addr", show("-o", "addr"), ["ip", "-o", "addr"]).devices;
    expect(oneline.map(addresses)).toEqual(all.filter((d) => d.addresses.length > 0).map(addresses));
    for (const [id, ...form] of [
      ["ip-addr", "-br"],
      ["ip-json", "-br", "-j"],
    ] as const)
      expect(devicesOf(id, show(...form, "addr"), ["ip", ...form, "addr"]).devices.map(short)).toEqual(all.map(short));
  });

  test("one family, one device", () => {
    const all = devicesOf("ip-addr", show("addr"), ["ip", "addr"]).devices;
    const four = devicesOf("ip-addr", show("-4", "addr"), ["ip", "-4", "addr"]);
    expect(four.shows).toEqual(["link", "ipv4"]);
    expect(four.extent).toBe("partial");
    expect(four.devices.flatMap((d) => d.addresses).length).toBe(
      all.flatMap((d) => d.addresses).filter((a) => isIpv4(a.prefix.address)).length,
    );
    const one = devicesOf("ip-addr", show("addr", "show", "v0"), ["ip", "a", "s", "v0"]);
    expect(one.devices.map((d) => [d.name, d.addressesKnown])).toEqual([["v0", true]]);
    expect(one.extent).toBe("partial");
    const scoped = devicesOf("ip-addr", show("addr", "show", "scope", "global"), ["ip", "a", "s", "scope", "global"]);
    expect(scoped.devices.every((d) => !d.addressesKnown)).toBe(true);
  });

  test("addresses are printed back", () => {
    const text = show("addr");
    const devices = devicesOf("ip-addr", text, ["ip", "addr"]).devices;
    const lines = text.split("\n").filter((l) => /^\s+(inet|valid_lft)/.test(l));
    expect(
      devices
        .map(printAddresses)
        .filter((t) => t !== "")
        .join("\n")
        .split("\n"),
    ).toEqual(lines);
  });

  test("ip link in every form", () => {
    const all = devicesOf("ip-link", show("-d", "link"), ["ip", "-d", "link"]);
    expect(all.devices.every((d) => !d.addressesKnown && d.addresses.length === 0)).toBe(true);
    expect(all.shows).toEqual(["link", "bridge-port"]);
    for (const [id, ...form] of [
      ["ip-link"],
      ["ip-link", "-o"],
      ["ip-link", "-s"],
      ["ip-link", "-s", "-s"],
      ["ip-link", "-o", "-d"],
      ["ip-link", "-c=always"],
      ["ip-json", "-j"],
      ["ip-json", "-j", "-d"],
    ] as const) {
      const facts = devicesOf(id, show(...form, "link"), ["ip", ...form, "link"]);
      expect(facts.devices.map(link)).toEqual(all.devices.map(link));
      if (form.includes("-d" as never))
        expect(facts.devices.map((d) => d.kind)).toEqual(all.devices.map((d) => d.kind));
    }
    const brief = devicesOf("ip-link", show("-br", "link"), ["ip", "-br", "link"]).devices;
    expect(brief.map((d) => [d.name, d.flags, d.mac])).toEqual(
      all.devices.map((d) => [d.name, d.flags, d.kind === "tun" ? undefined : d.mac]),
    );
    const by = (name: string): Device => all.devices.find((d) => d.name === name)!;
    expect(by("v0").altnames).toEqual(["enp0s31f6", "wan"]);
    expect(by("v0").alias).toBe("uplink to the rack");
    expect(by("v1").port).toMatchObject({ hairpin: true, isolated: true, learning: true });
    expect(by("tap7").port).toMatchObject({ hairpin: false, learning: false, flood: false });
    expect(by("vx0")).toMatchObject({
      lower: "v0",
      tunnel: { id: 42, local: 0x0a000001, port: 8472, learning: false, ttl: 8, udpChecksum: true },
    });
    expect(by("vx1").tunnel).toMatchObject({ id: 43, group: 0xef010101, port: 4789, learning: true });
    expect(by("vx2").tunnel).toMatchObject({ external: true, port: 4790 });
    expect(by("br0").bridge).toMatchObject({ stp: false, vlanFiltering: false, nfCallIptables: false });
  });

  test("plain text proves a pair of veth, not a kind", () => {
    const plain = devicesOf("ip-addr", show("addr")).devices;
    const kinds = Object.fromEntries(plain.map((d) => [d.name, d.kind]));
    expect(kinds).toEqual({
      lo: "loopback",
      v0: "veth",
      v1: "veth",
      pod0: "unknown",
      br0: "unknown",
      vx0: "unknown",
      vx1: "unknown",
      vx2: "unknown",
      ifb9: "unknown",
      flannel0: "unknown",
      tap7: "unknown",
    });
  });

  test("the two ends of a veth name each other across namespaces", () => {
    const here = devicesOf("ip-addr", show("addr"), ["ip", "addr"]).devices.find((d) => d.name === "pod0")!;
    const there = devicesOf("ip-addr", pod.must("addr"), ["ip", "addr"]).devices.find((d) => d.name === "eth0")!;
    expect(here.peer?.index).toBe(there.index);
    expect(there.peer?.index).toBe(here.index);
  });

  test("links and addresses can be made again", () => {
    const devices = devicesOf("ip-addr", show("-d", "addr"), ["ip", "-d", "addr"]).devices.filter(
      (d) => d.name !== "pod0",
    );
    const second = new Netns();
    opened.push(second);
    second.exec("sysctl", "-qw", "net.ipv6.conf.default.addr_gen_mode=1", "net.ipv6.conf.default.accept_dad=0");
    const commands = [
      ...linksToCommands(devices),
      ...devices.filter((d) => d.name !== "lo").flatMap(addressesToCommands),
    ];
    const failed = commands.flatMap((c) => {
      const result = second.ip(...c);
      return result.ok ? [] : [`${c.join(" ")}: ${result.error}`];
    });
    expect(failed).toEqual([]);
    const again = devicesOf("ip-addr", steady(second.must("-d", "addr")), ["ip", "-d", "addr"]).devices;
    const comparable = (d: Device): unknown => {
      const { index, operState, carrier, peer, group, alias, bridge, flags, mac, ...rest } = d;
      // An ifb takes no MAC.
      return bare({
        ...rest,
        mac: d.kind === "ifb" ? "" : mac,
        flags: flags?.filter((f) => f !== "LOWER_UP" && f !== "NO-CARRIER"),
      });
    };
    const sorted = (list: readonly Device[]): unknown =>
      [...list].sort((a, b) => (a.name < b.name ? -1 : 1)).map(comparable);
    expect(sorted(again)).toEqual(sorted(devices));
  });

  test.skipIf(!haveTool("ifconfig"))("ifconfig shows what ip shows, as far as it goes", () => {
    const mine = devicesOf("ifconfig", ns.exec("ifconfig", "-a").out, ["ifconfig", "-a"]);
    const truth = devicesOf("ip-addr", show("addr"), ["ip", "addr"]).devices;
    expect(mine.extent).toBe("whole");
    expect(mine.devices.map((d) => d.name).sort()).toEqual(truth.map((d) => d.name).sort());
    for (const d of mine.devices) {
      const t = truth.find((x) => x.name === d.name)!;
      expect([d.mtu, d.up]).toEqual([t.mtu, t.up]);
      if (t.linkType === "ether") expect(d.mac).toBe(t.mac);
      for (const a of d.addresses) {
        const same = t.addresses.find((x) => JSON.stringify(x.prefix) === JSON.stringify(a.prefix));
        expect(same, `${d.name} ${JSON.stringify(a)}`).toBeDefined();
        if (isIpv4(a.prefix.address)) expect([a.broadcast, a.label]).toEqual([same!.broadcast, same!.label]);
        else expect(a.scope).toBe(same!.scope);
      }
    }
  });
});
