import { readFileSync } from "node:fs";
import { dialect } from "@hairpin/testing/segments.ts";
import { describe, expect, test } from "vitest";
import type { Device } from "../../packages/core/src/model/index.ts";
import { parseAddress } from "../../packages/core/src/net/index.ts";
import type { Facts } from "../../packages/core/src/parse/facts.ts";
import { linkCommand } from "../../packages/core/src/parse/iproute2/device/link-commands.ts";
import { printRoute } from "../../packages/core/src/parse/iproute2/route/route-print.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";
import { bare } from "./netns.ts";

/** Listings of device kinds that few kernels have all of: see fixtures/kinds/build.sh. */
const fixture = (name: string): string => readFileSync(new URL(`fixtures/kinds/${name}.txt`, import.meta.url), "utf8");

function facts<K extends Facts["kind"]>(kind: K, id: string, name: string, ...command: string[]) {
  const reading = dialect(id).read(sourceOf(name, fixture(name)), command.length === 0 ? {} : { command });
  expect(reading.diagnostics, name).toEqual([]);
  const found = reading.facts.find((f): f is Extract<Facts, { kind: K }> => f.kind === kind);
  if (found === undefined) throw new Error(`no ${kind} in ${name}`);
  return found;
}

const details = facts("devices", "ip-link", "ip-d-link", "ip", "-d", "link").devices;
const by = (name: string): Device => details.find((d) => d.name === name)!;

describe("device kinds", () => {
  test("kinds with -d", () => {
    expect(Object.fromEntries(details.map((d) => [d.name, d.kindName ?? d.kind]))).toEqual({
      lo: "loopback",
      dummy0: "dummy",
      bond0: "bond",
      gre0: "gre",
      gretap0: "gretap",
      erspan0: "erspan",
      ip6tnl0: "ip6tnl",
      tunl0: "ipip",
      sit0: "sit",
      ifb0: "ifb",
      ifb1: "ifb",
      "kube-ipvs0": "dummy",
      up0: "veth",
      eth0: "veth",
      "eth0.100": "vlan",
      "eth0.200": "vlan",
      mac0: "macvlan",
      mac1: "macvlan",
      mtap0: "macvtap",
      s1: "veth",
      s0: "veth",
      ipv0: "ipvlan",
      ipv1: "ipvlan",
      "vrf-blue": "vrf",
      inblue: "dummy",
      wg0: "wireguard",
      gnv0: "geneve",
      ipip1: "ipip",
      gre1: "gre",
      gretap1: "gretap",
      sit1: "sit",
      tn6: "ip6tnl",
      "flannel.1": "vxlan",
      cni0: "bridge",
      p1: "veth",
      p0: "veth",
    });
  });

  test("parameters", () => {
    expect(by("eth0.100")).toMatchObject({ vlan: { id: 100, protocol: "802.1Q" }, lower: "eth0" });
    expect(by("eth0.200")).toMatchObject({ vlan: { id: 200, protocol: "802.1ad" }, lower: "eth0" });
    expect(by("mac0")).toMatchObject({ mode: "bridge", lower: "eth0" });
    expect(by("mac1")).toMatchObject({ mode: "private", lower: "eth0" });
    expect(by("mtap0")).toMatchObject({ mode: "vepa", lower: "eth0" });
    expect(by("ipv1")).toMatchObject({ mode: "l3s", lower: "up0" });
    expect(by("bond0")).toMatchObject({ mode: "balance-rr" });
    expect(by("s0")).toMatchObject({ master: "bond0", peer: { name: "s1" }, up: true, carrier: false });
    expect(by("vrf-blue")).toMatchObject({ vrfTable: 1001 });
    expect(by("inblue")).toMatchObject({ master: "vrf-blue" });
    expect(by("gnv0").tunnel).toMatchObject({ id: 7, remote: 0xc000024d, port: 6081, udpChecksum: false });
    expect(by("ipip1")).toMatchObject({ lower: "eth0", tunnel: { local: 0xc000020a, remote: 0xc0000214, ttl: 64 } });
    expect(by("gre1").tunnel).toMatchObject({ local: 0xc000020a, remote: 0xc0000215, inputKey: 5, outputKey: 7 });
    expect(by("flannel.1")).toMatchObject({
      lower: "eth0",
      tunnel: { id: 1, local: 0xc000020a, port: 8472, learning: false, ttl: "auto", udpChecksum: true },
    });
    expect(by("tunl0").tunnel).toEqual({ ttl: "inherit", pathMtuDiscovery: false });
    expect(by("tunl0").peer).toBeUndefined();
    expect(by("cni0").bridge).toMatchObject({ stp: false, vlanFiltering: true });
    expect(by("p0")).toMatchObject({
      master: "cni0",
      port: { hairpin: true, state: "forwarding" },
      peer: { name: "p1" },
    });
  });

  test("every form agrees", () => {
    const addr = facts("devices", "ip-addr", "ip-d-addr", "ip", "-d", "addr").devices;
    const noAddresses = (d: Device): unknown => bare({ ...d, addresses: [], addressesKnown: false });
    expect(addr.map(noAddresses)).toEqual(details.map(noAddresses));
    for (const [name, ...flags] of [
      ["ip-o-d-link", "-o", "-d"],
      ["ip-s-d-link", "-s", "-d"],
    ] as const)
      expect(bare(facts("devices", "ip-link", name, "ip", ...flags, "link").devices)).toEqual(bare(details));
    const json = facts("devices", "ip-json", "ip-j-d-addr", "ip", "-j", "-d", "addr").devices;
    // What text says with a word JSON says with a number or not at all.
    const comparable = (d: Device): unknown => {
      const { tunnel, ...rest } = d;
      const { ttl: _, ...sure } = tunnel ?? {};
      return bare({ ...rest, tunnel: sure });
    };
    expect(json.map(comparable)).toEqual(addr.map(comparable));
    const plain = facts("devices", "ip-addr", "ip-addr", "ip", "addr").devices;
    expect(plain.map((d) => [d.name, bare(d.addresses)])).toEqual(addr.map((d) => [d.name, bare(d.addresses)]));
    const brief = facts("devices", "ip-addr", "ip-br-addr", "ip", "-br", "addr").devices;
    expect(brief.map((d) => [d.name, d.addresses.length])).toEqual(addr.map((d) => [d.name, d.addresses.length]));
  });

  test("plain text proves some kinds and no others", () => {
    const plain = facts("devices", "ip-addr", "ip-addr").devices;
    const known = plain.filter((d) => d.kind !== "unknown").map((d) => [d.name, d.kind]);
    expect(Object.fromEntries(known)).toEqual({
      lo: "loopback",
      gre0: "gre",
      tunl0: "ipip",
      sit0: "sit",
      ipip1: "ipip",
      gre1: "gre",
      sit1: "sit",
      ip6tnl0: "ip6tnl",
      tn6: "ip6tnl",
      up0: "veth",
      eth0: "veth",
      s0: "veth",
      s1: "veth",
      p0: "veth",
      p1: "veth",
    });
    for (const name of ["eth0.100", "mac0", "ipv0"]) {
      const d = plain.find((x) => x.name === name)!;
      expect([d.peer, d.lower], name).toEqual([undefined, name === "ipv0" ? "up0" : "eth0"]);
    }
    expect(plain.find((d) => d.name === "ipip1")?.tunnel).toEqual({ local: 0xc000020a, remote: 0xc0000214 });
    const six = { local: parseAddress("fd00::1"), remote: parseAddress("fd00::2") };
    expect(plain.find((d) => d.name === "tn6")?.tunnel).toEqual(six);
    expect(by("tn6").tunnel).toEqual({ ...six, ttl: 64, encapLimit: 4 });
    expect([by("tn6").mode, by("ip6tnl0").mode]).toEqual(["any", "ip6ip6"]);
  });

  test("commands that make them", () => {
    const command = (name: string): string => linkCommand(by(name))!.join(" ");
    expect(command("kube-ipvs0")).toBe("link add name kube-ipvs0 type dummy");
    expect(command("eth0.100")).toBe("link add name eth0.100 link eth0 type vlan protocol 802.1Q id 100");
    expect(command("mac0")).toBe("link add name mac0 link eth0 type macvlan mode bridge");
    expect(command("ipv1")).toBe("link add name ipv1 link up0 type ipvlan mode l3s");
    expect(command("vrf-blue")).toBe("link add name vrf-blue type vrf table 1001");
    expect(command("ipip1")).toBe("link add name ipip1 type ipip remote 192.0.2.20 local 192.0.2.10 dev eth0 ttl 64");
    expect(command("gretap1")).toBe("link add name gretap1 type gretap remote 192.0.2.22 local 192.0.2.10");
    expect(linkCommand(by("lo"))).toBeUndefined();
  });
});

describe("other listings of the same machine", () => {
  test("routes and rules", () => {
    const routes = facts("routes", "ip-route", "ip-route-show-table-all", "ip", "route", "show", "table", "all");
    const json = facts("routes", "ip-json", "ip-j-route-show-table-all", "ip", "-j", "route", "show", "table", "all");
    expect(bare(json.routes)).toEqual(bare(routes.routes));
    const lines = fixture("ip-route-show-table-all").split("\n").slice(0, routes.routes.length);
    expect(routes.routes.map((r) => printRoute(r, { tables: true }))).toEqual(lines);
    const rules = facts("routing-rules", "ip-rule", "ip-rule", "ip", "rule");
    expect(rules.rules.map((r) => [r.preference, r.l3mdev ?? false])).toEqual([
      [0, false],
      [1000, true],
      [32766, false],
      [32767, false],
    ]);
  });

  test("bridge vlan: singles, ranges and JSON mean the same", () => {
    const each = (name: string, id: string, ...flags: string[]): string[] =>
      facts("bridge-vlans", id, name, "bridge", ...flags, "vlan").vlans.flatMap((v) =>
        Array.from({ length: v.to - v.from + 1 }, (_, i) => `${v.device} ${v.from + i} ${v.pvid} ${v.untagged}`),
      );
    const plain = each("bridge-vlan", "bridge-vlan");
    expect(plain.length).toBe(14);
    expect(plain).toContain("p0 20 true true");
    expect(each("bridge-d-vlan", "bridge-vlan", "-d")).toEqual(plain);
    expect(each("bridge-j-vlan", "bridge-json", "-j")).toEqual(plain);
  });

  test("bridge link and fdb", () => {
    const port = facts("devices", "bridge-link", "bridge-d-link", "bridge", "-d", "link").devices[0]!;
    const json = facts("devices", "bridge-json", "bridge-j-d-link", "bridge", "-j", "-d", "link").devices[0]!;
    expect(bare(json)).toEqual(bare(port));
    expect(port.port?.hairpin).toBe(true);
    const entries = facts("fdb", "bridge-fdb", "bridge-fdb", "bridge", "fdb").entries;
    expect(facts("fdb", "bridge-json", "bridge-j-fdb", "bridge", "-j", "fdb").entries.length).toBe(entries.length);
    expect(entries.find((e) => e.mac === "02:00:00:00:00:09")).toMatchObject({
      device: "p0",
      vlan: 20,
      master: "cni0",
    });
  });

  test("busybox prints the same things in its own way", () => {
    const plain = facts("devices", "ip-addr", "ip-addr", "ip", "addr").devices;
    const box = facts("devices", "ip-addr", "ip-addr-busybox", "ip", "addr").devices;
    const addresses = (list: readonly Device[]): unknown =>
      list.map((d) => [d.name, d.index, d.mtu, d.addresses.map((a) => [a.prefix, a.scope, a.broadcast])]);
    expect(addresses(box)).toEqual(addresses(plain));
    const links = facts("devices", "ip-link", "ip-link-busybox", "ip", "link");
    expect(links.devices.every((d) => !d.addressesKnown)).toBe(true);
    expect(links.devices.map((d) => [d.name, d.mac])).toEqual(plain.map((d) => [d.name, d.mac]));
    const old = facts("devices", "ifconfig", "ifconfig-a-busybox", "ifconfig", "-a");
    expect(old.devices.length).toBe(plain.length);
    for (const d of old.devices) {
      const p = plain.find((x) => x.name === d.name)!;
      expect([d.mtu, d.up], d.name).toEqual([p.mtu, p.up]);
      if (p.linkType === "ether") expect(d.mac, d.name).toBe(p.mac);
      for (const a of d.addresses) expect(p.addresses.map((x) => bare(x.prefix))).toContainEqual(bare(a.prefix));
    }
    expect(facts("routes", "ip-route", "ip-route-busybox", "ip", "route").routes.length).toBe(1);
    expect(facts("routes", "route-n", "route-n-busybox", "route", "-n").routes.length).toBe(1);
    expect(facts("routing-rules", "ip-rule", "ip-rule-busybox", "ip", "rule").rules.length).toBe(4);
  });
});
