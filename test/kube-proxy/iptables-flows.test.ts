import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { haveReference, referenceFiles } from "@hairpin/testing/reference.ts";
import { worldOf } from "@hairpin/testing/world.ts";
import { describe, expect, test } from "vitest";
import { type ProxyInput, programme } from "../../packages/core/src/kubernetes/index.ts";
import { parseAddress } from "../../packages/core/src/net/index.ts";
import { printTables } from "../../packages/core/src/parse/iptables/index.ts";
import { inputsOf, type RecordedCase } from "./iptables-input.ts";
import { type Answer, ask, mismatch, type Probe, readCaseFile } from "./objects-harness.ts";

/** The node on which verdicts were recorded, with the rules that the model writes and the sysctls that it sets. */
function nodeDumps(
  nodeIps: readonly string[],
  rules: string,
  routeLocalnet: boolean,
): Readonly<Record<string, string>> {
  const addresses = nodeIps
    .filter((a) => !a.includes(":"))
    .map((a) => `    inet ${a}/32 scope global eth0\n       valid_lft forever preferred_lft forever\n`)
    .join("");
  return {
    "nodes/node/iptables-save.txt": rules,
    "nodes/node/ip-addr.txt": `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000
    link/ether 02:00:00:00:00:02 brd ff:ff:ff:ff:ff:ff
${addresses}3: pod0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000
    link/ether 02:00:00:00:00:03 brd ff:ff:ff:ff:ff:ff
    inet 10.255.255.254/32 scope global pod0
       valid_lft forever preferred_lft forever
`,
    "nodes/node/ip-route.txt": "default dev eth0 scope link\n10.0.0.0/8 dev pod0 scope link\n",
    "nodes/node/ip-rule.txt":
      "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n",
    "nodes/node/sysctl.txt": [
      "net.ipv4.ip_forward = 1",
      ...["all", "lo", "eth0", "pod0"].flatMap((d) => [
        `net.ipv4.conf.${d}.rp_filter = 0`,
        `net.ipv4.conf.${d}.route_localnet = ${routeLocalnet ? 1 : 0}`,
      ]),
      "",
    ].join("\n"),
  };
}

/** The recorder tells a masqueraded packet by its address; one that keeps it for lack of another does not show. */
const asSeen = (probe: Probe, { branches, ...rest }: Answer): Answer => ({
  ...rest,
  branches: branches.map((b) =>
    b.request.final.src === parseAddress(probe.sourceIP) ? { ...b, request: { ...b.request, masqueraded: false } } : b,
  ),
});

/** Walking hundreds of endpoints for each probe says no more than walking them for one of each kind. */
function few(probes: readonly Probe[]): readonly Probe[] {
  const kinds = new Map(probes.map((p) => [`${p.from} ${p.observed.verdict}`, p]));
  return [...kinds.values()].slice(0, 2);
}

function mismatches(input: ProxyInput, file: string): readonly string[] {
  const { probes, nodeIPs } = readCaseFile(file);
  const made = programme(input);
  if (made.kind !== "programmed") throw new Error(made.mode);
  const { tables, sysctls } = made.families.find((f) => f.family === 4)!;
  const world = worldOf(nodeDumps(nodeIPs, printTables(tables), sysctls.length > 0));
  const large = tables.some((t) => t.chains.length > 500);
  return (large ? few(probes) : probes).flatMap((probe) => {
    if (probe.sourceIP.includes(":")) return [];
    const own = nodeIPs.includes(probe.sourceIP) || probe.sourceIP.startsWith("127.");
    const arrival = own ? {} : { in: probe.sourceIP.startsWith("10.") ? "pod0" : "eth0" };
    const answer = ask(world, { ...questionOf(probe), node: "node", ...arrival });
    return mismatch(probe, asSeen(probe, answer)) ?? [];
  });
}

function check(file: string): void {
  const c = JSON.parse(readFileSync(file, "utf8")) as RecordedCase;
  if (c.ipFamily !== "IPv4") return;
  const all = inputsOf(c, c.versions[0]!).map((input) => mismatches(input, file));
  expect(all.find((m) => m.length === 0) ?? all[0]).toEqual([]);
}

const questionOf = (probe: Probe) => ({
  from: probe.sourceIP,
  to: `${probe.destIP}:${probe.destPort}`,
  proto: probe.protocol ?? "tcp",
});

const filesOf = (folder: string) =>
  referenceFiles("kube-proxy", folder, "iptables").map((f): readonly [string, string] => [basename(f, ".json"), f]);

describe.skipIf(!haveReference)("packets meet the rules made from objects as the kernel showed", () => {
  test.each(filesOf("objects-rules"))("%s", (_, file) => check(file));
});

describe.skipIf(!haveReference)("flows meet the rules made from objects as expected, where the kernel agrees", () => {
  test.each(filesOf("objects-flows"))("%s", (_, file) => check(file));
});
