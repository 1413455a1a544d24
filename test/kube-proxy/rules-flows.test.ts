import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import { formatAddress } from "../../packages/core/src/net/index.ts";
import { type Branch, resolveQuestion, trace } from "../../packages/core/src/trace/index.ts";
import { haveReference, referenceFiles } from "../reference.ts";
import { worldOf } from "../world.ts";

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
    .filter((a) => !a.includes(":"))
    .map((a) => `    inet ${a}/32 scope global eth0\n       valid_lft forever preferred_lft forever\n`)
    .join("");
  return {
    [`nodes/node/${file}`]: rules,
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
        `net.ipv4.conf.${d}.route_localnet = ${c.routeLocalnet ? 1 : 0}`,
      ]),
      "",
    ].join("\n"),
  };
}

function check(flow: Flow, branches: readonly Branch[]): boolean {
  const kernel = flow.kernel!;
  const all = (...dispositions: string[]) => branches.every((b) => dispositions.includes(b.request.disposition));
  const end = (b: Branch) => `${formatAddress(b.request.final.dst)}:${b.request.final.dport}`;
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
  ["iptables", "iptables-save.txt"],
  ["nftables", "nft-list-ruleset.txt"],
] as const;

describe.skipIf(!haveReference).each(MODES)(
  "kube-proxy's %s rules: every recorded flow ends as in the kernel",
  (mode, name) => {
    const files = referenceFiles("kube-proxy", "rules-flows", mode);
    test.each(files.map((f) => [basename(f, ".json"), f]))("%s", (_, file) => {
      const c = JSON.parse(readFileSync(file, "utf8")) as FlowCase;
      if (c.ipFamily !== "IPv4") return;
      for (const rules of [c.rules, ...Object.values(c.kernelListing ?? {})]) {
        const world = worldOf(nodeDumps(c, rules, name));
        for (const flow of c.flows) {
          if (flow.kernel === undefined || flow.sourceIP.includes(":")) continue;
          const own = c.nodeIPs.includes(flow.sourceIP) || flow.sourceIP.startsWith("127.");
          const arrival = own ? {} : { in: flow.sourceIP.startsWith("10.") ? "pod0" : "eth0", node: "node" };
          const resolved = resolveQuestion(world, {
            from: flow.sourceIP,
            to: `${flow.destIP}:${flow.destPort}`,
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
