import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { haveReference, referenceFiles } from "@hairpin/testing/reference.ts";
import { worldOf } from "@hairpin/testing/world.ts";
import { describe, expect, test } from "vitest";
import { formatAddress } from "../../packages/core/src/net/index.ts";
import { type Branch, resolveQuestion, trace } from "../../packages/core/src/trace/index.ts";

interface Flow {
  readonly name: string;
  readonly protocol?: string;
  readonly sourceIP: string;
  readonly destIP: string;
  readonly destPort: number;
  readonly kernel?: {
    readonly verdict: string;
    readonly destinations?: readonly { readonly endpoint: string; readonly masqueraded: boolean }[];
  };
}
interface FlowCase {
  readonly ipFamily: string;
  readonly nodeIPs: readonly string[];
  readonly routeLocalnet: boolean;
  readonly rules: string;
  readonly kernelListing?: Readonly<Record<string, string>>;
  readonly flows: readonly Flow[];
}

/** The node on which the kernel's verdicts were recorded, as its own dumps would show it. */
function nodeDumps(c: FlowCase, rules: string, file: string): Readonly<Record<string, string>> {
  const addresses = c.nodeIPs
    .map((a) => (a.includes(":") ? `    inet6 ${a}/128 scope global nodad` : `    inet ${a}/32 scope global eth0`))
    .map((line) => `${line}\n       valid_lft forever preferred_lft forever\n`)
    .join("");
  return {
    [`nodes/node/${file}`]: rules,
    "nodes/node/ip-addr.txt": `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
    inet6 ::1/128 scope host
       valid_lft forever preferred_lft forever
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000
    link/ether 02:00:00:00:00:02 brd ff:ff:ff:ff:ff:ff
${addresses}    inet6 fe80::2/64 scope link
       valid_lft forever preferred_lft forever
3: pod0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000
    link/ether 02:00:00:00:00:03 brd ff:ff:ff:ff:ff:ff
    inet 10.255.255.254/32 scope global pod0
       valid_lft forever preferred_lft forever
    inet6 fd00:10:ffff::fe/128 scope global nodad
       valid_lft forever preferred_lft forever
    inet6 fe80::3/64 scope link
       valid_lft forever preferred_lft forever
`,
    "nodes/node/ip-6-route.txt":
      "fd00::/8 dev pod0 metric 1024 pref medium\ndefault dev eth0 metric 1024 pref medium\n",
    "nodes/node/ip-6-rule.txt": "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n",
    "nodes/node/ip-route.txt": "default dev eth0 scope link\n10.0.0.0/8 dev pod0 scope link\n",
    "nodes/node/ip-rule.txt":
      "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n",
    "nodes/node/sysctl.txt": [
      "net.ipv4.ip_forward = 1",
      "net.ipv6.conf.all.forwarding = 1",
      ...["all", "lo", "eth0", "pod0"].flatMap((d) => [
        `net.ipv4.conf.${d}.rp_filter = 0`,
        `net.ipv4.conf.${d}.route_localnet = ${c.routeLocalnet ? 1 : 0}`,
      ]),
      "",
    ].join("\n"),
  };
}

function check(flow: Flow, branches: readonly Branch[]): boolean {
  const kernel = flow.kernel!;
  const all = (...dispositions: string[]) => branches.every((b) => dispositions.includes(b.request.disposition));
  const end = (b: Branch) => asked(formatAddress(b.request.final.dst), Number(b.request.final.dport));
  switch (kernel.verdict) {
    case "DNAT":
      return (
        all("delivered", "forwarded") &&
        kernel.destinations!.every((d) =>
          branches.some((b) => end(b) === d.endpoint && b.request.masqueraded === d.masqueraded),
        )
      );
    case "REJECT":
    case "icmp-unreachable":
      return all("rejected");
    case "DROP":
    case "silently-dropped":
      return all("dropped");
    case "forwarded-unchanged":
      return all("forwarded");
    case "delivered-locally":
      return all("delivered", "rejected") && branches.every((b) => formatAddress(b.request.final.dst) === flow.destIP);
    default:
      return false;
  }
}

const MODES = [
  ["iptables", { IPv4: "iptables-save.txt", IPv6: "ip6tables-save.txt" }],
  ["nftables", { IPv4: "nft-list-ruleset.txt", IPv6: "nft-list-ruleset.txt" }],
] as const;

const isOwn = (c: FlowCase, source: string): boolean =>
  c.nodeIPs.includes(source) || source.startsWith("127.") || source === "::1";
const isPods = (source: string): boolean => source.startsWith("10.") || source.startsWith("fd");
const asked = (address: string, port: number): string =>
  address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;

describe.skipIf(!haveReference).each(MODES)(
  "kube-proxy's %s rules: every recorded flow ends as in the kernel",
  (mode, names) => {
    const files = referenceFiles("kube-proxy", "rules-flows", mode);
    test.each(files.map((f) => [basename(f, ".json"), f]))("%s", (_, file) => {
      const c = JSON.parse(readFileSync(file, "utf8")) as FlowCase;
      const family = c.ipFamily === "IPv6" ? "IPv6" : "IPv4";
      for (const rules of [c.rules, ...Object.values(c.kernelListing ?? {})]) {
        const world = worldOf(nodeDumps(c, rules, names[family]));
        for (const flow of c.flows) {
          if (flow.kernel === undefined || flow.sourceIP.includes(":") !== (family === "IPv6")) continue;
          const own = isOwn(c, flow.sourceIP);
          const arrival = own ? {} : { in: isPods(flow.sourceIP) ? "pod0" : "eth0", node: "node" };
          const resolved = resolveQuestion(world, {
            from: flow.sourceIP,
            to: asked(flow.destIP, flow.destPort),
            proto: flow.protocol || "tcp",
            ...arrival,
          });
          if (resolved.ok !== true) throw new Error(JSON.stringify(resolved));
          const { branches } = trace(resolved.world, resolved.question);
          const got = branches.map(
            (b) =>
              `${b.request.disposition} ${formatAddress(b.request.final.dst)}:${b.request.final.dport} ${b.request.drop}`,
          );
          expect(
            check(flow, branches),
            `${flow.name}: kernel ${JSON.stringify(flow.kernel)}, walk ${JSON.stringify(got)}`,
          ).toBe(true);
        }
      }
    });
  },
);
