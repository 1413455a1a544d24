import { ask } from "@hairpin/testing/cluster.ts";
import { describe, expect, test } from "vitest";

const LO = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
`;
const card = (
  name: string,
  mac: string,
  address: string,
  more = "",
  kind = "",
): string => `${LO}2: ${name}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000
    link/ether ${mac} brd ff:ff:ff:ff:ff:ff${more} promiscuity 0 minmtu 68 maxmtu 65535
${kind}    inet ${address}/24 scope global ${name.split("@")[0]}
`;
const route = (source: string): string => `default via 10.0.0.1 dev eth0
10.0.0.0/24 dev eth0 proto kernel scope link src ${source}
`;

/** A host with two pods whose cards are children of its own, as experiment 36 had them. */
function host(kind: "macvlan" | "ipvlan", mode: string): Record<string, string> {
  const line = `    ${kind} mode ${mode}${kind === "macvlan" ? " bcqueuelen 1000 usedbcqueuelen 1000" : " bridge"}\n`;
  const pod = (n: number) => ({
    [`nodes/host/pods/default/p${n}/ip-d-addr.txt`]: card(
      `eth0@if2`,
      `02:00:00:00:00:2${n}`,
      `10.0.0.2${n}`,
      " link-netnsid 0",
      line,
    ),
    [`nodes/host/pods/default/p${n}/ip-route.txt`]: route(`10.0.0.2${n}`),
  });
  return {
    "nodes/host/ip-addr.txt": card("eth0", "02:00:00:00:00:10", "10.0.0.10"),
    "nodes/host/ip-route.txt": route("10.0.0.10"),
    "nodes/host/sysctl.txt": "net.ipv4.conf.all.rp_filter = 0\nnet.ipv4.conf.eth0.rp_filter = 0\n",
    ...pod(1),
    ...pod(2),
  };
}

const fate = (files: Record<string, string>, from: string, to: string): string => {
  const { exploration } = ask(files, from, to);
  const [branch] = exploration.branches;
  return branch?.request.disposition === "undetermined" ? "undetermined" : (branch?.clientSees ?? "?");
};

describe.each([
  ["macvlan", "bridge"],
  ["ipvlan", "l2"],
] as const)("%s in %s mode", (kind, mode) => {
  const files = host(kind, mode);
  test.each([
    ["stack/default/p1", "10.0.0.1:80", "connected"],
    ["stack/default/p1", "10.0.0.22:80", "connected"],
    ["stack/default/p1", "10.0.0.10:80", "unreachable"],
    ["node/host", "10.0.0.21:80", "unreachable"],
    ["external", "10.0.0.21:80", "connected"],
  ])("%s to %s: %s", (from, to, expected) => {
    expect(fate(files, from, to)).toBe(expected);
  });
});

describe.each(["private", "vepa"])("macvlan in %s mode", (mode) => {
  test("children of one card do not hear each other, and the outside hears them", () => {
    expect(fate(host("macvlan", mode), "stack/default/p1", "10.0.0.22:80")).toBe("unreachable");
    expect(fate(host("macvlan", mode), "stack/default/p1", "10.0.0.1:80")).toBe("connected");
  });
});

test.each(["l3", "l3s"])("ipvlan in %s mode: the host's stack has a part in it, which is not modelled", (mode) => {
  expect(fate(host("ipvlan", mode), "stack/default/p1", "10.0.0.1:80")).toBe("undetermined");
});
