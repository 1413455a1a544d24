import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { ClusterAccess } from "../../packages/collect/src/cluster/access.ts";
import { kubectlOf } from "../../packages/collect/src/cluster/kubectl.ts";
import { assemble } from "../../packages/core/src/assemble/index.ts";
import { check } from "../../packages/core/src/check/index.ts";
import { say } from "../../packages/core/src/messages/index.ts";
import type { Stack } from "../../packages/core/src/model/index.ts";
import { formatAddress, formatPrefix } from "../../packages/core/src/net/index.ts";

const here = dirname(fileURLToPath(import.meta.url));
const script = resolve(here, "../../packages/collect/src/collect.sh");
const has = (tool: string) => spawnSync("sh", ["-c", `command -v ${tool}`]).status === 0;
const ISOLATED = ["--pid", "--mount", "--net", "--uts", "--ipc", "--fork", "--kill-child", "--mount-proc"];
const able =
  process.getuid?.() === 0 &&
  has("ipset") &&
  has("iptables-legacy") &&
  spawnSync("unshare", [...ISOLATED, "true"]).status === 0;
const text = (path: string) => readFileSync(path, "utf8");

const top = mkdtempSync(join(tmpdir(), "k-collect-"));
afterAll(() => rmSync(top, { recursive: true, force: true }));

const onNode = (words: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  spawnSync("unshare", [...ISOLATED, "sh", join(here, "node.sh"), ...words], {
    env: { ...process.env, ...env },
    encoding: "utf8",
    timeout: 120_000,
  });

const fake = (folder: string, name: string, body: string) => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
  chmodSync(join(folder, name), 0o755);
};

const rulesOf = (stack: Stack) =>
  stack.netfilter.tables.flatMap((t) =>
    t.chains.flatMap((c) => c.rules.map((r) => `${t.backend} ${t.family} ${t.name} ${c.name} ${r.target?.kind}`)),
  );
const addresses = (stack: Stack) =>
  stack.devices.items.flatMap((d) => d.addresses.map((a) => `${d.name} ${formatPrefix(a.prefix)}`));

function expectNode(bundle: string, podName: string): void {
  const loaded = loadCase([bundle]);
  const report = check(loaded.reading, loaded.inputs);
  expect(report.notUnderstood.map((d) => `${d.file}:${d.line} ${d.message}: ${d.text}`)).toEqual([]);
  expect(report.contradictions).toEqual([]);
  const { world } = assemble(loaded.reading);
  expect(world.stacks.map((s) => [s.name, s.kind]).sort()).toEqual(
    [
      ["netns:quiet", "pod"],
      [podName, "pod"],
      ["worker-1", "node"],
    ].sort(),
  );
  const node = world.stacks.find((s) => s.name === "worker-1")!;
  const pod = world.stacks.find((s) => s.name === podName)!;
  const quiet = world.stacks.find((s) => s.name === "netns:quiet")!;
  expect(addresses(node)).toEqual(expect.arrayContaining(["eth0 192.0.2.11/24", "cni0 10.244.1.1/24"]));
  expect(addresses(pod)).toEqual(expect.arrayContaining(["eth0 10.244.1.7/24"]));
  expect(addresses(quiet)).toContain("lo 198.18.0.1/32");
  expect(rulesOf(node)).toEqual(
    expect.arrayContaining([
      "legacy 4 nat PREROUTING dnat",
      "legacy 4 nat POSTROUTING masquerade",
      "legacy 4 filter FORWARD accept",
      "nft 4 filter FORWARD drop",
      "legacy 6 filter FORWARD drop",
    ]),
  );
  expect(rulesOf(pod)).toEqual(["legacy 4 filter INPUT drop"]);
  expect(node.ipsets.items.map((s) => [s.name, s.entries.length])).toEqual([["PLANTED", 1]]);
  expect(node.routingRules.items.some((r) => r.action.kind === "lookup" && r.action.table === 177)).toBe(true);
  const planted = node.routeTables.flatMap((t) =>
    t.routes.map(
      (r) =>
        `${t.id} ${formatPrefix(r.destination)} ${r.nexthops[0]?.gateway === undefined ? "" : formatAddress(r.nexthops[0].gateway)}`,
    ),
  );
  expect(planted).toContain("177 203.0.113.0/24 192.0.2.1");
  expect(pod.routeTables.flatMap((t) => t.routes).some((r) => r.destination.length === 0)).toBe(true);
  expect(node.neighbours.items.some((n) => n.mac === "02:00:00:aa:bb:fe")).toBe(true);
  expect(text(join(unpack(bundle), "nodes/worker-1/sysctl-a.txt"))).toMatch(/^net\.ipv4\.conf\.eth0\.rp_filter = 2$/m);
}

function unpack(bundle: string): string {
  const folder = mkdtempSync(join(top, "unpacked-"));
  execFileSync("tar", ["xzf", bundle, "-C", folder]);
  return folder;
}

describe.skipIf(!able)("collect.sh on a real node", () => {
  describe.each([["dash"], ["busybox sh"], ["bash --posix"]])("under %s", (shell) => {
    const words = shell.split(" ");
    const tmp = join(top, `tmp-${words[0]}`);
    const bundle = join(top, `${words[0]}.tar.gz`);
    beforeAll(() => mkdirSync(tmp, { recursive: true }));

    test.skipIf(!has(words[0]!))(
      "every planted fact is in the bundle, and nothing is left behind",
      { timeout: 120_000 },
      () => {
        const { status, stderr } = onNode([...words, script, "-o", bundle], { TMPDIR: tmp });
        expect(status, stderr).toBe(0);
        expectNode(bundle, "container:web-0");
        expect(readdirSync(tmp)).toEqual([]);
      },
    );
  });

  test("the runtime tells a pod's name; nothing of its environment or command line is taken", {
    timeout: 120_000,
  }, () => {
    const bin = join(top, "runtime");
    fake(bin, "crictl", `case "$1" in pods) echo abc;; inspectp) echo "$HAIRPIN_TEST_POD shop web-0";; esac`);
    const bundle = join(top, "named.tar.gz");
    const { status, stderr } = onNode(["dash", script, "-o", bundle], {
      PATH: `${bin}:${process.env.PATH}`,
      PLANTED_SECRET: "hunter2",
    });
    expect(status, stderr).toBe(0);
    expectNode(bundle, "shop/web-0");
    const folder = unpack(bundle);
    expect(
      spawnSync("grep", ["-rlE", "hunter2|sleep 300|stable_secret|fastopen_key", folder], { encoding: "utf8" }).stdout,
    ).toBe("");
  });

  test.each([
    [
      "docker",
      `case "$1" in
ps) echo abc;;
inspect) [ "$4" = abc ] && echo "$HAIRPIN_TEST_POD shop web-0";;
esac`,
      "shop/web-0",
    ],
    [
      "docker",
      // Not of a pod: it goes by its own name.
      'case "$1" in ps) echo abc;; inspect) echo "$HAIRPIN_TEST_POD - web";; esac',
      "container:web",
    ],
    [
      "ctr",
      `case "$*" in
"-n k8s.io tasks ls") printf 'TASK PID STATUS\\nabc %s RUNNING\\n' "$HAIRPIN_TEST_POD";;
"-n k8s.io containers info abc") printf '{\\n  "Labels": {\\n    "io.kubernetes.container.name": "app",\\n    "io.kubernetes.pod.name": "web-0",\\n    "io.kubernetes.pod.namespace": "shop"\\n  },\\n  "Env": ["PASSWORD=hunter2"]\\n}\\n';;
esac`,
      "shop/web-0",
    ],
  ])("%s tells a pod's name", (runtime, body, name) => {
    const bin = mkdtempSync(join(top, "runtime-"));
    fake(bin, runtime, body);
    const bundle = join(bin, "named.tar.gz");
    const { status, stderr } = onNode(["dash", script, "-o", bundle], { PATH: `${bin}:${process.env.PATH}` });
    expect(status, stderr).toBe(0);
    expectNode(bundle, name);
    expect(spawnSync("grep", ["-rl", "hunter2", unpack(bundle)], { encoding: "utf8" }).stdout).toBe("");
  });

  describe("kubectl", () => {
    /** A kubectl whose pods are namespaces of this kernel. `pods`: lines as the jsonpath prints them. */
    const cluster = (pods: string, exec: string, create = "cat >/dev/null", state = "Running") => {
      const bin = mkdtempSync(join(top, "kubectl-"));
      const log = join(bin, "log");
      fake(
        bin,
        "kubectl",
        `echo "$*" | cut -c1-200 >>${log}
words=$*
case "$1 $2" in
"get pods") printf '${pods}';;
"get nodes") printf 'n1\tamd64\tlinux\t10.0.0.1\t700000 registry.k8s.io/pause@sha256:aa registry.k8s.io/pause:3.10\t9000000 docker.io/library/busybox:1\n';;
"get pod") echo Pending ContainerCreating; printf '%s\n' "${state}"; exec sleep 20;;
get*) exit 1;;
exec*) while [ "$1" != -- ]; do shift; done; shift; ${exec};;
create*) ${create};;
esac`,
      );
      const previous = process.env.PATH;
      process.env.PATH = `${bin}:${previous}`;
      return {
        collect: async () => {
          const said: string[] = [];
          const access = new ClusterAccess({
            kubectl: kubectlOf([]),
            namespaces: ["default"],
            lives: 60,
            onText: (_, it) => said.push(say(it)),
            onLine: (_, line) => said.push(line),
          });
          try {
            await access.survey();
            const [got] = await access.collect([{ node: "n1", pods: "all" }]);
            await access.close();
            const bundle = join(bin, "bundle.tar.gz");
            if (got?.ok) writeFileSync(bundle, got.bundle);
            return { got, bundle, said, calls: text(log) };
          } finally {
            process.env.PATH = previous;
          }
        },
      };
    };
    const inNode = `exec unshare ${ISOLATED.join(" ")} sh ${join(here, "node.sh")} "$@"`;
    const refused = 'echo "Error from server (Forbidden): pods is forbidden" >&2; exit 1';
    const pod = (name: string, hostPid: string, hostNetwork: string, containers: string) =>
      `kube-system\\t${name}\\t11111111-2222-3333-4444-555555555555\\t\\tn1\\tRunning\\t${hostPid}\\t${hostNetwork}\\t\\t${containers}\\n`;

    test("through a privileged pod that sees the node's processes, without a pod of our own", {
      timeout: 120_000,
    }, async () => {
      const pods = pod("web", "", "", "app=,") + pod("cni-x", "true", "true", "helper=,agent=true,");
      const { got, bundle, calls } = await cluster(pods, inNode).collect();
      expect(got?.ok).toBe(true);
      expectNode(bundle, "container:web-0");
      expect(calls).toContain("exec -i -n kube-system cni-x -c agent -- nsenter -t 1 -m -u -i -n -- sh -s -- --base64");
      expect(calls).not.toMatch(/^(?:create|delete)/m);
    });
    test("a pod without a shell or nsenter is passed over for one of our own, which is removed", {
      timeout: 120_000,
    }, async () => {
      const missing =
        'case "$*" in nsenter*) echo "exec: nsenter: executable file not found" >&2; exit 126;; esac; shift 2; ';
      const { got, bundle, calls } = await cluster(
        pod("distroless", "true", "true", "agent=true,"),
        missing + inNode,
      ).collect();
      expect(got?.ok).toBe(true);
      expectNode(bundle, "container:web-0");
      const made = /^exec -i -n default (hairpin-\w+) -c node -- chroot \/host sh -s -- --base64/m.exec(calls)?.[1];
      expect(made).toBeDefined();
      expect(calls).toContain(`delete pod ${made} -n default --wait=false --ignore-not-found`);
    });
    test("forbidden: a privileged pod in the node's network gives the node itself", async () => {
      const { got, bundle, said } = await cluster(
        pod("kube-proxy-x", "", "true", "kube-proxy=true,"),
        inNode,
        refused,
      ).collect();
      expect(got?.ok).toBe(true);
      expect(said.some((l) => /forbidden; without the namespaces of pods$/.test(l))).toBe(true);
      const stacks = assemble(loadCase([bundle]).reading).world.stacks;
      expect(stacks.map((s) => s.name)).toEqual(["worker-1"]);
      expect(rulesOf(stacks[0]!)).toContain("legacy 4 nat PREROUTING dnat");
    });
    test("nothing allowed: why is said", async () => {
      const { got } = await cluster(
        "x; rm -rf\\ty\\t\\t\\tn1\\tRunning\\ttrue\\ttrue\\t\\ta=true,\\n",
        "exit 1",
        refused,
      ).collect();
      expect(got).toEqual({
        from: "n1",
        ok: false,
        why: "registry.k8s.io/pause:3.10: Error from server (Forbidden): pods is forbidden",
      });
    });
    test("an image that cannot be started is given up at once, and each is removed", async () => {
      const { got, calls } = await cluster("", "exit 1", undefined, "Pending ErrImageNeverPull").collect();
      expect(got).toEqual({ from: "n1", ok: false, why: "busybox: Pending ErrImageNeverPull" });
      expect(calls.match(/^create/gm)).toHaveLength(3);
      expect(calls.match(/^delete pod hairpin-/gm)).toHaveLength(3);
    });
    test("left over from a run that is over: removed; another machine's is not", async () => {
      const left = (name: string, phase: string, owner: string) =>
        `default\\t${name}\\t\\t\\tn1\\t${phase}\\ttrue\\ttrue\\t${owner}\\tnode=true,\\n`;
      const pods = left("hairpin-old", "Failed", "elsewhere.1") + left("hairpin-busy", "Running", "elsewhere.2");
      const { calls, said } = await cluster(pods, "exit 1", refused).collect();
      expect(calls).toContain("delete pod hairpin-old -n default --wait=false --ignore-not-found\n");
      expect(said).toContain("removed, left over from an earlier run: default/hairpin-old");
      expect(calls).not.toContain("hairpin-busy");
    });
  });

  test.each(["cri-containerd", "crio"])(
    "pods are told by the UID in their cgroup, and no others are read: %s",
    (runtime) => {
      const uid = "0a1b2c3d-1111-2222-3333-444455556666";
      const bundle = join(top, "by-uid.tar.gz");
      const { status, stderr } = onNode(["dash", script, "-o", bundle, "--pod", `${uid}=shop/web-0`, "--named-only"], {
        HAIRPIN_TEST_UID: uid,
        HAIRPIN_TEST_RUNTIME: runtime,
      });
      expect(status, stderr).toBe(0);
      const { stacks } = assemble(loadCase([bundle]).reading).world;
      expect(stacks.map((s) => s.name).sort()).toEqual(["shop/web-0", "worker-1"]);
      expect(addresses(stacks.find((s) => s.name === "shop/web-0")!)).toContain("eth0 10.244.1.7/24");
    },
  );

  test("half the tools are missing: the rest is gathered, and what is missing is said", () => {
    const bin = join(top, "few");
    mkdirSync(bin);
    for (const tool of [
      "sh",
      "cat",
      "mkdir",
      "rm",
      "mv",
      "tar",
      "gzip",
      "head",
      "wc",
      "grep",
      "ip",
      "uname",
      "iptables-save",
      "id",
      "ls",
    ])
      symlinkSync(execFileSync("sh", ["-c", `command -v ${tool}`], { encoding: "utf8" }).trim(), join(bin, tool));
    const bundle = join(top, "few.tar.gz");
    const tmp = join(top, "few-tmp");
    mkdirSync(tmp);
    const { status, stderr } = onNode([
      "env",
      `PATH=${bin}`,
      "HAIRPIN_SBIN=",
      `TMPDIR=${tmp}`,
      "/bin/dash",
      script,
      "-o",
      bundle,
    ]);
    expect(status, stderr).toBe(0);
    const { reading } = loadCase([bundle]);
    expect(assemble(reading).world.stacks.map((s) => s.name)).toEqual(["worker-1"]);
    const manifest = text(join(unpack(bundle), "nodes/worker-1/manifest.txt"));
    for (const tool of ["ipset", "bridge", "ss", "nstat", "lsmod"])
      expect(manifest).toMatch(new RegExp(`^missing .* ${tool}: no such tool$`, "m"));
    expect(manifest).toMatch(/^ok .*ip-rule\.txt/m);
    expect(manifest).toMatch(/^ok .*proc-sys-net\.txt/m);
    expect(manifest).toMatch(/^skipped {2}namespaces of pods: there is no nsenter$/m);
    expect(readdirSync(tmp)).toEqual([]);
  });

  const linked = (name: string, tools: readonly string[]) => {
    const folder = join(top, name);
    mkdirSync(folder);
    for (const tool of tools)
      symlinkSync(execFileSync("sh", ["-c", `command -v ${tool}`], { encoding: "utf8" }).trim(), join(folder, tool));
    return folder;
  };

  test("without tar it writes one text, which is read as well", () => {
    const bin = linked("no-tar", [
      "sh",
      "cat",
      "mkdir",
      "rm",
      "mv",
      "head",
      "wc",
      "grep",
      "ip",
      "uname",
      "find",
      "id",
      "ls",
    ]);
    const bundle = join(top, "no-tar.txt");
    const { status, stderr } = onNode(["env", `PATH=${bin}`, "HAIRPIN_SBIN=", "/bin/dash", script, "-o", bundle]);
    expect(status, stderr).toBe(0);
    const [node] = assemble(loadCase([bundle]).reading).world.stacks;
    expect([node?.name, ...addresses(node!)]).toEqual(
      expect.arrayContaining(["worker-1", "eth0 192.0.2.11/24", "cni0 10.244.1.1/24"]),
    );
    expect(node!.routingRules.items.some((r) => r.action.kind === "lookup" && r.action.table === 177)).toBe(true);
  });

  test("without timeout(1) a command that hangs is ended all the same", () => {
    const bin = linked("no-timeout", [
      "sh",
      "cat",
      "mkdir",
      "rm",
      "mv",
      "head",
      "wc",
      "grep",
      "tar",
      "gzip",
      "sleep",
      "id",
      "ls",
    ]);
    fake(bin, "ip", "exec sleep 40");
    const bundle = join(top, "no-timeout.tar.gz");
    const env = { PATH: bin, HAIRPIN_SBIN: "", HAIRPIN_SECONDS: "1" };
    const { status, stderr } = spawnSync("/bin/dash", [script, "--no-pods", "-o", bundle], { env, encoding: "utf8" });
    expect(status, stderr).toBe(0);
    const folder = join(unpack(bundle), "nodes");
    const manifest = text(join(folder, readdirSync(folder)[0]!, "manifest.txt"));
    expect(manifest).toMatch(/^timeout .*ip-d-addr\.txt {2}ip -d addr: longer than 1 s$/m);
    expect(manifest).toMatch(/^ok .*hostname\.txt/m);
  });

  test.each([
    ["-lasting", "timeout"],
    ["-long", "cut"],
  ])("a command%s: its part is marked as one", (_, word) => {
    const bin = join(top, `slow-${word}`);
    const rows = 'i=0; while [ $i -lt 500 ]; do echo "10.7.$i.0/24 dev eth0 scope link"; i=$((i+1)); done';
    fake(bin, "ip", `case "$*" in "-4 route show table all") ${rows}; [ ${word} = cut ] || exec sleep 60;; esac`);
    const bundle = join(top, `${word}.tar.gz`);
    const env = {
      PATH: `${bin}:${process.env.PATH}`,
      HAIRPIN_SECONDS: "2",
      HAIRPIN_BYTES: word === "cut" ? "4000" : "1000000",
    };
    const { status, stderr } = spawnSync("dash", [script, "--no-pods", "-o", bundle], {
      env: { ...process.env, ...env },
      encoding: "utf8",
    });
    expect(status, stderr).toBe(0);
    const { reading } = loadCase([bundle]);
    const routes = reading.dumps.find((d) => d.dialect.id === "ip-route");
    expect(routes?.context.partial?.value).toBe("something was left out");
    const node = readdirSync(join(unpack(bundle), "nodes"))[0]!;
    expect(text(join(unpack(bundle), "nodes", node, "manifest.txt"))).toMatch(
      new RegExp(`^${word} .*ip-4-route-show-table-all`, "m"),
    );
  });

  test.each([["SIGTERM"], ["SIGINT"], ["SIGHUP"]] as const)(
    "%s in the middle: no bundle, no rest, at once",
    { timeout: 60_000 },
    async (signal) => {
      const bin = join(top, `stuck-${signal}`);
      const tmp = join(top, `stuck-tmp-${signal}`);
      const mark = join(top, `stuck-${signal}.pid`);
      mkdirSync(tmp);
      fake(bin, "ip", `echo $$ >${mark}; exec sleep 50`);
      const bundle = join(top, `stuck-${signal}.tar.gz`);
      const child = spawn("dash", [script, "--no-pods", "-o", bundle], {
        env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, TMPDIR: tmp },
        stdio: "ignore",
      });
      while (!existsSync(mark) || text(mark) === "") await new Promise((r) => setTimeout(r, 50));
      const pid = Number(text(mark));
      const ended = new Promise<number | null>((r) => child.on("close", r));
      const start = Date.now();
      child.kill(signal);
      expect(await ended).toBeGreaterThan(128);
      expect(Date.now() - start).toBeLessThan(30_000);
      expect(readdirSync(tmp)).toEqual([]);
      expect(readdirSync(top).filter((f) => f.startsWith(`stuck-${signal}.tar`))).toEqual([]);
      // Soon, and not after the 50 seconds it would sleep.
      for (let i = 0; i < 100 && existsSync(`/proc/${pid}`); i++) await new Promise((r) => setTimeout(r, 50));
      expect(existsSync(`/proc/${pid}`)).toBe(false);
    },
  );
});
