import { shopInput } from "@hairpin/testing/iptables/shop.ts";
import { describe, expect, test } from "vitest";
import { printRuleset } from "../../parse/nft/print.ts";
import { type ProxyConfig, programme } from "../index.ts";

const GATE = { KubeProxyNFTablesLocalhostNodePorts: true };

/** The lines about loopback of what kube-proxy writes, and the addresses that take NodePorts. */
function written(version: string, config: Partial<ProxyConfig>): readonly string[] {
  const result = programme(shopInput(version, { mode: "nftables", ...config }));
  if (result.kind !== "programmed") throw new Error(result.mode);
  const text = printRuleset(result.families.find((f) => f.family === 4)!.nft!);
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /localhost|127\.0\.0\.0/.test(line));
}

describe("NodePorts on loopback in nftables mode", () => {
  test("without the gate nobody answers for them", () => {
    expect(written("1.37.0", {})).toEqual([]);
    expect(written("1.36.0", { featureGates: GATE })).toEqual([]);
  });

  test("with it they are refused and counted", () => {
    const lines = written("1.37.0", { featureGates: GATE });
    expect(lines).toContain("ip daddr 127.0.0.0/8 meta l4proto . th dport vmap @localhost-nodeport-reject-ports");
    expect(lines).toContain("chain localhost-nodeport-reject-tcp {");
    expect(lines).toContain('counter name "localhost-nodeport-rejected-tcp" reject');
    expect(lines.join(" ")).toMatch(/tcp \. \d+ : goto localhost-nodeport-reject-tcp/);
  });

  test("where loopback is named kube-proxy listens itself for TCP, and refuses the rest", () => {
    for (const nodePortAddresses of [["localhost"], ["primary", "localhost"], ["127.0.0.0/8"]]) {
      const lines = written("1.37.0", { featureGates: GATE, nodePortAddresses });
      expect(lines.filter((l) => l.includes("reject-tcp"))).toEqual([]);
      expect(lines).toContain("chain localhost-nodeport-reject-udp {");
    }
    const all = written("1.37.0", { featureGates: GATE, nodePortAddresses: ["all"] });
    expect(all).toContain("chain localhost-nodeport-reject-tcp {");
    expect(all.filter((l) => l.startsWith("fib daddr type local ip daddr != 127.0.0.0/8"))).toHaveLength(1);
  });
});
