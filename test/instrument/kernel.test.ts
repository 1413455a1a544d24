import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { netnsSupport } from "../../packages/lab/src/index.ts";
import { hairpin } from "../check/surface.ts";

const support = netnsSupport();
const SWITCH = "/proc/sys/net/netfilter/nf_log_all_netns";
const has = (tool: string): boolean => spawnSync("sh", ["-c", `command -v ${tool}`]).status === 0;
const reason = !support.usable
  ? support.reasons.join("; ")
  : !has("iptables") || !has("python3")
    ? "iptables or python3 is missing"
    : "";
if (reason !== "") console.warn(`SKIPPED: instrument on a real kernel: ${reason}`);

const sh = (script: string): string => {
  const run = spawnSync("sh", ["-ec", script], { encoding: "utf8" });
  if (run.status !== 0) throw new Error(`${script}: ${run.stderr}`);
  return run.stdout;
};

/** Client and node share a wire; the node's way back to the client's second address leads elsewhere. */
const BUILD = `
for n in c n s; do ip netns add hp-ins-$n; ip -n hp-ins-$n link set lo up; done
ip link add eth0 netns hp-ins-n type veth peer name eth0 netns hp-ins-c
ip link add eth1 netns hp-ins-n type veth peer name eth0 netns hp-ins-s
ip -n hp-ins-c addr add 10.1.0.2/24 dev eth0; ip -n hp-ins-c addr add 10.9.9.9/32 dev eth0
ip -n hp-ins-s addr add 10.2.0.2/24 dev eth0
ip -n hp-ins-n addr add 10.1.0.1/24 dev eth0; ip -n hp-ins-n addr add 10.2.0.1/24 dev eth1
for n in c s; do ip -n hp-ins-$n link set eth0 up; done
ip -n hp-ins-n link set eth0 up; ip -n hp-ins-n link set eth1 up
# A strict check drops the ARP request of 10.9.9.9 as well (arp_process routes it): an outside packet comes from a router that asks as itself.
ip -n hp-ins-c neigh add 10.1.0.1 dev eth0 lladdr $(ip netns exec hp-ins-n cat /sys/class/net/eth0/address)
ip -n hp-ins-c route add default via 10.1.0.1; ip -n hp-ins-s route add default via 10.2.0.1
ip -n hp-ins-n route add 10.9.9.9/32 via 10.2.0.2
ip netns exec hp-ins-n sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.rp_filter=0
ip netns exec hp-ins-n iptables -P FORWARD ACCEPT`;

const SEND = `import socket
s = socket.socket(); s.settimeout(1.5); s.bind(("10.9.9.9", 0))
try: s.connect(("10.2.0.2", 80))
except OSError: pass`;

describe.skipIf(reason !== "")("ask, instrument, send, paste back", () => {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-instrument-kernel-"));
  let before = "";
  beforeAll(() => {
    sh(`for n in c n s; do ip netns del hp-ins-$n 2>/dev/null || true; done; ${BUILD}`);
    before = readFileSync(SWITCH, "utf8").trim();
    // Outside the first namespace the kernel logs only with this; on a node's own it always does.
    writeFileSync(SWITCH, "1");
    const dumps = {
      "ip-addr": "ip addr",
      "ip-route": "ip route",
      "ip-rule": "ip rule",
      "iptables-save": "iptables-save",
    };
    mkdirSync(join(folder, "nodes/n"), { recursive: true });
    for (const [name, command] of Object.entries(dumps))
      writeFileSync(join(folder, `nodes/n/${name}.txt`), sh(`ip netns exec hp-ins-n ${command}`));
  });
  afterAll(() => {
    if (before !== "") writeFileSync(SWITCH, before);
    sh("for n in c n s; do ip netns del hp-ins-$n 2>/dev/null || true; done");
    rmSync(folder, { recursive: true, force: true });
  });

  const question = ["--from", "10.9.9.9", "--to", "10.2.0.2:80", "--in", "eth0"];
  const ask = async () =>
    JSON.parse((await hairpin("diagnose", folder, ...question, "--json")).out) as {
      readonly verdict: string;
      readonly decisiveFacts: readonly { readonly fact: string }[];
      readonly traces: readonly { readonly request: { readonly disposition: string } }[];
    };

  /** Lays what instrument printed, sends the packet, and gives back what was shown. */
  async function watched(): Promise<string> {
    const { out: script } = await hairpin("instrument", folder, ...question, "--seconds", "6", "--script", "n");
    const child = spawn("ip", ["netns", "exec", "hp-ins-n", "sh"], { stdio: ["pipe", "pipe", "pipe"] });
    let shown = "";
    const ready = new Promise<void>((resolve) => {
      child.stdout.on("data", (data) => {
        shown += data;
      });
      child.stderr.on("data", (data) => {
        if (String(data).includes("send the packet now")) resolve();
      });
    });
    child.stdin.end(script);
    await ready;
    await new Promise((resolve) => setTimeout(resolve, 300));
    spawnSync("ip", ["netns", "exec", "hp-ins-c", "python3", "-c", SEND]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const ended = new Promise((resolve) => child.on("exit", resolve));
    child.kill("SIGTERM");
    await ended;
    return shown;
  }

  test.each([
    ["1", "dropped"],
    ["2", "forwarded"],
  ])(
    "rp_filter %s: the packet is %s",
    async (value, disposition) => {
      rmSync(join(folder, "nodes/n/kernel.log"), { force: true });
      const fact = "n/sysctl/net.ipv4.conf.eth0.rp_filter";
      expect(new Set((await ask()).traces.map((t) => t.request.disposition)).size).toBeGreaterThan(1);
      sh(`ip netns exec hp-ins-n sysctl -qw net.ipv4.conf.eth0.rp_filter=${value}`);
      const shown = await watched();
      expect(shown).toMatch(/hairpin-[0-9a-f]{6} PREROUTING/);
      expect(sh("ip netns exec hp-ins-n iptables-save")).not.toContain("hairpin-");
      writeFileSync(join(folder, "nodes/n/kernel.log"), shown);
      const after = await ask();
      expect(new Set(after.traces.map((t) => t.request.disposition))).toEqual(new Set([disposition]));
      expect(after.decisiveFacts.map((f) => f.fact)).not.toContain(fact);
    },
    30_000,
  );
});
