import { spawn, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { netnsSupport } from "../../packages/lab/src/index.ts";

const root = resolve(fileURLToPath(import.meta.url), "../../..");
export const support = netnsSupport();
/** By its path: a test may put other programs of that name in front. */
const IP = spawnSync("sh", ["-c", "command -v ip"], { encoding: "utf8" }).stdout.trim();
const has = (tool: string): boolean => spawnSync("sh", ["-c", `command -v ${tool}`]).status === 0;
export const able = support.usable && has("iptables-nft") && has("iptables-legacy") && has("ipset");
if (!able)
  console.warn(
    `SKIPPED: the guard on a real node: ${support.usable ? "iptables or ipset is missing" : support.reasons.join("; ")}`,
  );

export interface Said {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** Everything the fix of the test changes, one command of each kind. */
export const COMMANDS = [
  "sysctl -w net.ipv4.conf.eth0.rp_filter=2",
  "ip rule add from 192.0.2.1 lookup 77 pref 500",
  "ip route add 198.51.100.0/24 dev eth0 table 77",
  "ipset add KUBE-LOAD-BALANCER 192.0.2.7,tcp:81",
  "iptables -t nat -I POSTROUTING -s 192.0.2.9/32 -o eth0 -j ACCEPT",
];

/** What is put there without a walk, by name. */
const SETS: Readonly<Record<string, readonly string[]>> = {
  everything: COMMANDS,
  "rule-and-setting": [
    "iptables -t nat -I POSTROUTING -s 192.0.2.9/32 -j ACCEPT",
    "sysctl -w net.ipv4.conf.eth0.rp_filter=2",
  ],
};

const FIXES = `
  with-an-idle-rule:
    commands: ["iptables -t nat -I POSTROUTING -s 192.0.2.9/32 -j ACCEPT", sysctl -w net.ipv4.conf.eth0.rp_filter=2]
    verdict: reachable
  with-an-idle-setting:
    commands: [sysctl -w net.ipv4.conf.eth0.rp_filter=2 net.core.somaxconn=5000]
    verdict: reachable
  with-another-line:
    commands: ["sysctl -w net.ipv4.conf.eth0.rp_filter=2\\nipset add KUBE-LOAD-BALANCER 192.0.2.7,tcp:81"]
    verdict: reachable
`;

/** A program as one file; its path. */
export async function bundled(entry: string, outfile: string): Promise<string> {
  await build({
    entryPoints: [join(root, entry)],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    define: { HAIRPIN_VERSION: '"test"', HAIRPIN_COLLECT_SCRIPT: '""', "import.meta.url": JSON.stringify("file:///") },
    logLevel: "error",
  });
  return outfile;
}

/** A namespace that stands for the node, the program, and a bundled case with fixes to keep. */
export async function makeNode(name: string) {
  const top = mkdtempSync(join(tmpdir(), "guard-test-"));
  const program = join(top, "hairpin.cjs");
  const keeper = join(top, "keep.cjs");
  await bundled("packages/cli/src/main.ts", program);
  await bundled("test/guard/keep.ts", keeper);
  const folder = join(top, "case");
  cpSync(join(root, "cases/pod-to-lb-two-cards"), folder, { recursive: true });
  const yaml = readFileSync(join(folder, "case.yaml"), "utf8");
  writeFileSync(join(folder, "case.yaml"), yaml.replace(/^fixes:\n/m, `fixes:${FIXES}`));
  const state = join(top, "state");

  const sh = (script: string): string => {
    const run = spawnSync(IP, ["netns", "exec", name, "sh", "-ec", script], { encoding: "utf8" });
    if (run.status !== 0) throw new Error(`${script}: ${run.stderr}`);
    return run.stdout;
  };
  const words = (args: readonly string[]) => [
    "netns",
    "exec",
    name,
    process.execPath,
    program,
    "guard",
    "--state",
    state,
    ...args,
  ];
  const guard = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Said => {
    const run = spawnSync(IP, words(args), { encoding: "utf8", env: { ...process.env, ...env }, timeout: 60_000 });
    return { status: run.status, out: run.stdout, err: run.stderr };
  };
  /** Commands as they are, or a set of them by its name; for a minute unless told. */
  const putWords = (what: string | readonly string[], { within = "60", folder = state } = {}): readonly string[] => [
    ...["netns", "exec", name, process.execPath, keeper, program, folder, within],
    ...(typeof what === "string" ? SETS[what]! : what),
  ];
  const put = (
    what: string | readonly string[],
    how: { readonly within?: string; readonly folder?: string } = {},
    env: Readonly<Record<string, string>> = {},
  ): Said => {
    const run = spawnSync(IP, putWords(what, how), {
      encoding: "utf8",
      env: { ...process.env, ...env },
      timeout: 60_000,
    });
    return { status: run.status, out: run.stdout, err: run.stderr };
  };
  const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    spawn(IP, words(args), { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });

  spawnSync(IP, ["netns", "del", name]);
  spawnSync(IP, ["netns", "add", name]);
  sh(`ip link set lo up; ip link add eth0 type veth peer name eth0p; ip link set eth0 up; ip link set eth0p up
      ipset create KUBE-LOAD-BALANCER hash:ip,port; ipset add KUBE-LOAD-BALANCER 192.0.2.8,tcp:80`);

  return {
    top,
    state,
    folder,
    sh,
    guard,
    program,
    put,
    putWords,
    startPut: (what: string) => spawn(IP, putWords(what), { stdio: ["ignore", "pipe", "pipe"] }),
    start,
    startShell: (script: string) => spawn(IP, ["netns", "exec", name, "sh", "-c", script], { stdio: "ignore" }),
    /** All that a fix may have touched, as the tools list it. */
    snapshot: (): string =>
      sh(`iptables-nft-save | grep '^-A' || true; iptables-legacy-save | grep '^-A' || true
          ip rule; ip -4 route show table all; ipset list KUBE-LOAD-BALANCER | sed '1,/^Members/d' | sort; sysctl net.ipv4.conf.eth0.rp_filter`),
    /** Programs put in front of the tools: \`body\` runs with REAL the tool's path and "$@". */
    shims: (tools: readonly string[], body: string): string => {
      const bin = mkdtempSync(join(top, "bin-"));
      for (const tool of tools) {
        const real = spawnSync("sh", ["-c", `command -v ${tool}`], { encoding: "utf8" }).stdout.trim();
        writeFileSync(join(bin, tool), `#!/bin/sh\nREAL=${real}\n${body}\n`);
        chmodSync(join(bin, tool), 0o755);
      }
      return bin;
    },
    scratch: (path: string): string => {
      mkdirSync(join(top, path), { recursive: true });
      return join(top, path);
    },
    clean: (): void => {
      spawnSync(IP, ["netns", "del", name]);
      rmSync(top, { recursive: true, force: true });
    },
  };
}
