import { type LabBackend, netnsSupport, openNetns } from "@hairpin/lab/index.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fate, type Injected, injected, kernelDiffers, walkThrough, worldOf } from "./scripted.ts";

const support = netnsSupport();
if (!support.usable) console.warn(`SKIPPED: martians on the running kernel: ${support.reasons.join("; ")}`);

/** x sends frames as they stand to n's eth0 (172.18.96.12/24); eth1 is 10.9.0.1/24, kube-ipvs0 is down and has 172.18.96.4. */
const BASE = "martian-own-address";
const OWN = "172.18.96.12";
const VIP = "172.18.96.4";
const conf = (name: string, value: number, device = "eth0") => `n: sysctl -w net.ipv4.conf.${device}.${name}=${value}`;
const RULE = "n: ip rule add pref 9 to 203.0.113.9 lookup 99";
const TABLE = "n: ip route add 203.0.113.9 via 172.18.96.1 table 99";
const CUSTOM = [TABLE, RULE];

type Row = readonly [what: string, packet: Injected, expected: string, commands?: readonly string[]];

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  "SPEC 7, experiment 04 (1): sources of the node's own": [
    ["its eth0's address, to itself", { src: OWN, dst: OWN }, "IP_LOCAL_SOURCE"],
    ["its eth1's address, in by eth0", { src: "10.9.0.1", dst: OWN }, "IP_LOCAL_SOURCE"],
    ["its virtual address on a device that is down", { src: VIP, dst: OWN }, "IP_LOCAL_SOURCE"],
    ["its own address, to be forwarded", { src: OWN, dst: "10.9.0.2" }, "IP_LOCAL_SOURCE"],
    ["accept_local, rp_filter 0", { src: OWN, dst: OWN }, "INPUT", [conf("accept_local", 1)]],
    ["accept_local, rp_filter 1", { src: OWN, dst: OWN }, "INPUT", [conf("accept_local", 1), conf("rp_filter", 1)]],
    ["accept_local, rp_filter 2", { src: OWN, dst: OWN }, "INPUT", [conf("accept_local", 1), conf("rp_filter", 2)]],
    [
      "accept_local, rp_filter 1, an address of another device",
      { src: VIP, dst: OWN },
      "IP_RPFILTER",
      [conf("accept_local", 1), conf("rp_filter", 1)],
    ],
    ["an address of its subnet that nobody has", { src: "172.18.96.200", dst: OWN }, "INPUT"],
  ],
  "SPEC 6, experiment 04 (2): addresses that are no hosts'": [
    ["to 127.0.0.1, route_localnet 0", { src: "172.18.96.1", dst: "127.0.0.1" }, "IP_LOCALNET"],
    ["to 127.0.0.1, route_localnet 1", { src: "172.18.96.1", dst: "127.0.0.1" }, "INPUT", [conf("route_localnet", 1)]],
    [
      "to 127.0.0.1, route_localnet of all",
      { src: "172.18.96.1", dst: "127.0.0.1" },
      "INPUT",
      [conf("route_localnet", 1, "all")],
    ],
    ["from 127.0.0.1, route_localnet 0", { src: "127.0.0.1", dst: OWN }, "IP_INVALID_SOURCE"],
    [
      "from 127.0.0.1, route_localnet 1",
      { src: "127.0.0.1", dst: OWN },
      "IP_LOCAL_SOURCE",
      [conf("route_localnet", 1)],
    ],
    ["from 0.0.0.0", { src: "0.0.0.0", dst: OWN }, "IP_INVALID_SOURCE"],
    ["from 0.0.0.5, an ordinary address", { src: "0.0.0.5", dst: OWN }, "INPUT"],
    ["to 0.0.0.5", { src: "172.18.96.1", dst: "0.0.0.5" }, "FORWARD"],
    ["from a multicast address", { src: "224.0.0.5", dst: OWN }, "IP_INVALID_SOURCE"],
    ["from 255.255.255.255", { src: "255.255.255.255", dst: OWN }, "IP_INVALID_SOURCE"],
    ["from class E", { src: "240.1.2.3", dst: OWN }, "INPUT"],
    ["to class E", { src: "172.18.96.1", dst: "240.1.2.3" }, "FORWARD"],
    ["to the subnet's broadcast address", { src: "172.18.96.1", dst: "172.18.96.255" }, "INPUT"],
    ["to 255.255.255.255 from 0.0.0.0", { src: "0.0.0.0", dst: "255.255.255.255" }, "INPUT"],
  ],
  "SPEC 7, experiment 23: the shortcut of rp_filter 0, and when it is off": [
    ["127.0.0.5, local but no device's", { src: "127.0.0.5", dst: OWN }, "INPUT", [conf("route_localnet", 1)]],
    // A RST, so that nothing is sent to the broadcast address in answer.
    ["the subnet's broadcast address", { src: "172.18.96.255", dst: OWN, proto: "tcp", flags: "R" }, "INPUT"],
    [
      "a source with a blackhole for a way back",
      { src: "198.51.100.9", dst: OWN },
      "INPUT",
      ["n: ip route add blackhole 198.51.100.0/24"],
    ],
    [
      "with a rule of one's own: 127.0.0.5",
      { src: "127.0.0.5", dst: OWN },
      "IP_LOCAL_SOURCE",
      [...CUSTOM, conf("route_localnet", 1)],
    ],
    ["with a rule: the broadcast address", { src: "172.18.96.255", dst: OWN }, "IP_LOCAL_SOURCE", CUSTOM],
    ["with a rule: own address", { src: OWN, dst: OWN }, "IP_LOCAL_SOURCE", CUSTOM],
    [
      "with a rule: a blackhole for a way back",
      { src: "198.51.100.9", dst: OWN },
      "INPUT",
      [...CUSTOM, "n: ip route add blackhole 198.51.100.0/24"],
    ],
    [
      "back out of the arrival device, send_redirects 0: the broadcast address",
      { src: "172.18.96.255", dst: "203.0.113.5" },
      "FORWARD",
      [conf("send_redirects", 0), conf("send_redirects", 0, "all")],
    ],
    [
      "back out of the arrival device, send_redirects 1: the broadcast address",
      { src: "172.18.96.255", dst: "203.0.113.5" },
      "IP_LOCAL_SOURCE",
      [conf("send_redirects", 1), conf("send_redirects", 1, "all")],
    ],
    ["back out of the arrival device: own address", { src: OWN, dst: "203.0.113.5" }, "IP_LOCAL_SOURCE"],
  ],
};

const scenario = (packet: Injected, commands: readonly string[] = []) => {
  const world = worldOf(BASE, commands);
  return { world, steps: [injected(world, "x:x0", "n:eth0", packet)] };
};

for (const [title, rows] of Object.entries(TABLES)) {
  describe(title, () => {
    test.each(rows.map((row) => ({ what: row[0], row })))("walk: $what", ({ row: [, packet, expected, commands] }) => {
      expect(fate(walkThrough(scenario(packet, commands))[0]!, "n")).toBe(expected);
    });

    describe.skipIf(!support.usable)("the running kernel", () => {
      let lab: LabBackend;
      beforeAll(async () => {
        lab = await openNetns();
      });
      afterAll(async () => {
        await lab?.close();
      });
      test.each(rows.map((row) => ({ what: row[0], row })))(
        "kernel: $what",
        async ({ row: [, packet, , commands] }) => {
          expect(await kernelDiffers(lab, scenario(packet, commands))).toEqual([]);
        },
      );
    });
  });
}
