import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { sweptCluster } from "@hairpin/testing/swept-cluster.ts";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { run } from "../../packages/cli/src/program.ts";
import { styleFor } from "../../packages/cli/src/report/style.ts";
import { packed } from "../../packages/collect/src/tar.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const top = mkdtempSync(join(tmpdir(), "k-live-"));
const bin = join(top, "bin");
const state = join(top, "state");
const log = join(state, "log");
const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, STATE: state, LANG: "C" };
const main = ["--import", join(root, "node_modules/tsx/dist/loader.mjs"), join(root, "packages/cli/src/main.ts")];
/** In this process: only what is interrupted has one of its own. */
async function hairpin(args: readonly string[], more: Record<string, string> = {}) {
  let [stdout, stderr, status] = ["", "", 0];
  for (const [name, value] of Object.entries({ PATH: env.PATH, STATE: state, ...more })) vi.stubEnv(name, value);
  try {
    await run(args, {
      write: (text) => {
        stdout += text;
      },
      complain: (text) => {
        stderr += `${text}\n`;
      },
      style: styleFor({}),
      lang: "en",
      finish: (code) => {
        status = code;
      },
    });
  } finally {
    vi.unstubAllEnvs();
  }
  return { stdout, stderr, status };
}
const calls = () => readFileSync(log, "utf8");
const NODES = 4;
/** Node 0 as it should be, and as it is. */
const mended = () => copyFileSync(join(bin, "bundle.mended"), join(bin, "bundle.node-0"));
const broken = () => copyFileSync(join(bin, "bundle.broken"), join(bin, "bundle.node-0"));

/**
 * A cluster of four nodes behind a stand-in for kubectl: objects as the API has them, a pod for each one that is created, and in it what
 * that node's dumps are. Node 0 has lost its way to the pods of node 1.
 */
beforeAll(() => {
  mkdirSync(bin);
  const cluster = { nodes: NODES, pods: 2, services: 2, nodePorts: 1 };
  const files = sweptCluster({ ...cluster, faults: [{ kind: "blackhole-route", at: 0 }] });
  writeFileSync(join(bin, "objects.yaml"), files["objects.yaml"]!);
  const names = Array.from({ length: NODES }, (_, n) => `node-${n}`);
  const bundle = (name: string, of: Readonly<Record<string, string>>): string => {
    const own = Object.entries(of).filter(([path]) => path.startsWith(`nodes/${name}/`));
    // A machine may call itself otherwise than the cluster does.
    const tar = packed(own.map(([path, text]) => ({ path: path.replace(name, `host-of-${name}`), text })));
    return `-----BEGIN HAIRPIN BUNDLE-----\n${tar.toString("base64")}\n-----END HAIRPIN BUNDLE-----\n`;
  };
  for (const name of names) writeFileSync(join(bin, `bundle.${name}`), bundle(name, files));
  writeFileSync(join(bin, "bundle.broken"), bundle("node-0", files));
  writeFileSync(join(bin, "bundle.mended"), bundle("node-0", sweptCluster({ ...cluster, faults: [] })));
  const machine = (name: string) =>
    `${name}\tamd64\tlinux\t10.0.0.${name.slice(5)}\t700000 registry.k8s.io/pause:3.10\n`;
  writeFileSync(join(bin, "nodes"), names.map(machine).join(""));
  const pod = (n: number, p: number) =>
    `shop\tpod-${n}-${p}\t0000000${n}-0000-0000-0000-00000000000${p}\t\tnode-${n}\tRunning\t\t\t\tc=,\n`;
  writeFileSync(join(bin, "pods"), names.flatMap((_, n) => [pod(n, 0), pod(n, 1)]).join(""));
  writeFileSync(
    join(bin, "kubectl"),
    `#!/bin/sh
here=$(dirname "$0")
echo "$*" | cut -c1-300 >>"$STATE/log"
case "$*" in
"config view"*) printf shop ;;
"get nodes -o jsonpath"*) cat "$here/nodes" ;;
"get pods -A -o jsonpath"*) cat "$here/pods"; [ ! -e "$STATE/left" ] || cat "$STATE/left" ;;
"get services -A -o yaml") cat "$here/objects.yaml" ;;
"get pod hairpin-"*) [ -z "$STUCK" ] || { touch "$STATE/stuck"; exec sleep 60; }; echo Running; exec sleep 20 ;;
get*) : ;;
"auth can-i create pods "*) if [ -n "$FORBIDDEN" ]; then echo no; exit 1; else echo yes; fi ;;
auth*) echo yes ;;
create*)
  # Several at a time.
  cat >"$STATE/made.$$"
  [ -z "$FORBIDDEN" ] || { echo 'Error from server (Forbidden): pods is forbidden: User "dev" cannot create resource "pods"' >&2; exit 1; }
  name=$(sed 's/.*"name":"\\(hairpin-[0-9a-f]*\\)".*/\\1/' "$STATE/made.$$")
  sed 's/.*"nodeName":"\\([^"]*\\)".*/\\1/' "$STATE/made.$$" >"$STATE/pod.$name"
  mv "$STATE/made.$$" "$STATE/made" ;;
exec*" sh -s") cat >>"$STATE/changed"; [ -z "$MENDS" ] || cp "$here/bundle.mended" "$here/bundle.node-0" ;;
exec*) cat >/dev/null; cat "$here/bundle.$(cat "$STATE/pod.$5")" ;;
delete*) shift 2; for name; do case $name in hairpin-*) rm -f "$STATE/pod.$name" ;; esac; done ;;
esac
`,
  );
  // The words before the host are ssh's own.
  writeFileSync(
    join(bin, "ssh"),
    `#!/bin/sh
echo "ssh $*" >>"$STATE/log"
cat >/dev/null
sed '1d;$d' "$(dirname "$0")/bundle.node-\${6##*.}" | base64 -d
`,
  );
  chmodSync(join(bin, "ssh"), 0o755);
  chmodSync(join(bin, "kubectl"), 0o755);
});
beforeEach(() => {
  rmSync(state, { recursive: true, force: true });
  mkdirSync(state);
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

const left = () => spawnSync("sh", ["-c", `ls ${state} | grep ^pod`], { encoding: "utf8" }).stdout;
const readNodes = () => [...calls().matchAll(/^exec .* --pod \S+=shop\/(\S+)/gm)].map((m) => m[1]).sort();
const FROM_TO = ["pod/pod-0-0", "pod/pod-1-0:8080"];

test("only the nodes and pods that the round trip meets are read; the answer, what was kept, and nothing left", {
  timeout: 120_000,
}, async () => {
  const { stdout, stderr, status } = await hairpin(["live", ...FROM_TO, "--json", "--keep", join(top, "kept.tar.gz")]);
  expect(status, stderr).toBe(1);
  const answer = JSON.parse(stdout) as { verdict: string; causes: { code: string; confidence: string }[] };
  expect(answer.verdict).toBe("unreachable");
  expect(answer.causes.map((c) => c.code)).toContain("BLACKHOLE_ROUTE");
  expect(readNodes()).toEqual(["pod-0-0", "pod-1-0"]);
  expect(stderr).toContain("reads node-0, node-1");
  expect(stderr).toMatch(/^objects [\d.]+ s, nodes [\d.]+ s, answer [\d.]+ s$/m);
  expect(left()).toBe("");
  const offline = await hairpin(["diagnose", join(top, "kept.tar.gz"), "--json"]);
  expect(offline.stdout).toBe(stdout);
});

test("--again asks what was kept once more, and says what changed", async () => {
  const before = join(top, "before.tar.gz");
  expect((await hairpin(["live", ...FROM_TO, "--keep", before])).status).toBe(1);
  const same = await hairpin(["live", "--again", before]);
  expect(same.status, same.stderr).toBe(1);
  expect(same.stdout).toContain("Before and now: UNREACHABLE.");
  expect(same.stdout).toContain("A and B mean the same");
  mended();
  try {
    const { stdout, stderr, status } = await hairpin(["live", "--again", before, "--json"]);
    expect(status, stderr).toBe(0);
    const { verdict, again } = JSON.parse(stdout) as { verdict: string; again: Record<string, unknown> };
    expect(verdict).toBe("reachable");
    expect(again).toMatchObject({ verdict: "unreachable", causes: ["BLACKHOLE_ROUTE"] });
    expect(JSON.stringify(again.changes)).toContain("blackhole");
    expect((await hairpin(["live", "--again", before])).stdout).toContain("Before: UNREACHABLE. Now: REACHABLE.");
  } finally {
    broken();
  }
  expect(left()).toBe("");
});

test("--watch says the first answer, and then only another", async () => {
  const child = spawn(process.execPath, [...main, "live", ...FROM_TO, "--watch", "--every", "0"], { cwd: top, env });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  const until = async (done: () => boolean) => {
    while (!done()) await new Promise((r) => setTimeout(r, 50));
  };
  try {
    await until(() => out.includes("UNREACHABLE  BLACKHOLE_ROUTE\n"));
    // It asks again, and says nothing as long as nothing changes.
    const reads = () => [...calls().matchAll(/^get services/gm)].length;
    const read = reads();
    await until(() => reads() > read + 1);
    mended();
    await until(() => out.includes("  REACHABLE\n"));
  } finally {
    broken();
  }
  const ended = new Promise((r) => child.on("close", r));
  child.kill("SIGINT");
  expect(await ended).toBe(130);
  expect(out.trim().split("\n")).toHaveLength(2);
  expect(left()).toBe("");
});

test("as kubectl hairpin FROM TO; a Service is asked by all its endpoints", async () => {
  const { stdout, stderr, status } = await hairpin(["kubectl", "pod/pod-2-0", "svc/svc-1"]);
  expect(status, stderr).toBe(0);
  expect(stdout).toContain("REACHABLE: the client connects");
  // svc-1 has endpoints on nodes 3, 0 and 1.
  expect(readNodes()).toEqual(["pod-0-1", "pod-1-1", "pod-2-0", "pod-3-1"]);
  expect(left()).toBe("");
});

test("without the right to make pods: objects alone, said so, and --can-i names what is missing", {
  timeout: 120_000,
}, async () => {
  const { stderr, status } = await hairpin(["live", ...FROM_TO], { FORBIDDEN: "1" });
  expect([0, 2]).toContain(status);
  expect(stderr).toContain("No node was read: the answer goes as far as objects go.");
  expect(calls()).not.toMatch(/^exec/m);
  const can = await hairpin(["live", "--can-i"], { FORBIDDEN: "1" });
  expect(can.status).toBe(1);
  expect(can.stdout).toMatch(/^may not {2}create pods {2}in shop$/m);
  expect(can.stdout).toContain("Objects can be read, nodes cannot");
  expect((await hairpin(["live", "--can-i"])).status).toBe(0);
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s while a pod starts: it is removed",
  { timeout: 60_000 },
  async (signal) => {
    const child = spawn(process.execPath, [...main, "live", ...FROM_TO], {
      cwd: top,
      env: { ...env, STUCK: "1" },
      stdio: "ignore",
    });
    while (!existsSync(join(state, "stuck"))) await new Promise((r) => setTimeout(r, 50));
    expect(left()).not.toBe("");
    const ended = new Promise((r) => child.on("close", r));
    child.kill(signal);
    expect(await ended).toBe(130);
    expect(left()).toBe("");
  },
);

test("killed outright: the next run on this machine removes what was left", async () => {
  const child = spawn(process.execPath, [...main, "live", ...FROM_TO], {
    cwd: top,
    env: { ...env, STUCK: "1" },
    stdio: "ignore",
  });
  while (!existsSync(join(state, "stuck"))) await new Promise((r) => setTimeout(r, 50));
  const ended = new Promise((r) => child.on("close", r));
  child.kill("SIGKILL");
  await ended;
  const made = JSON.parse(readFileSync(join(state, "made"), "utf8")) as {
    metadata: { name: string; labels: Record<string, string> };
    spec: { nodeName: string; activeDeadlineSeconds: number };
  };
  // It is over by itself, whatever becomes of us.
  expect(made.spec.activeDeadlineSeconds).toBeLessThan(200);
  const { name, labels } = made.metadata;
  const owner = labels["hairpin-run"];
  writeFileSync(
    join(state, "left"),
    `shop\t${name}\t\t\t${made.spec.nodeName}\tRunning\ttrue\ttrue\t${owner}\tnode=true,\n`,
  );
  const { stderr } = await hairpin(["live", ...FROM_TO]);
  expect(stderr).toContain(`removed, left over from an earlier run: shop/${name}`);
  expect(calls()).toMatch(new RegExp(`^delete pod ${name} -n shop`, "m"));
});

test("what cannot be asked is said before anything is made", async () => {
  expect((await hairpin(["live", "pod/pod-0-0"])).status).toBe(64);
  const { stderr, status } = await hairpin(["live", "pod/nobody", "svc/svc-1"]);
  expect(status).toBe(64);
  expect(stderr).toContain("nobody");
  expect(calls()).not.toMatch(/^create/m);
});

test("--live in the place of a case: of one question its nodes, otherwise all; beside a case the second one", {
  timeout: 120_000,
}, async () => {
  const question = ["--from", FROM_TO[0]!, "--to", FROM_TO[1]!];
  const traced = await hairpin(["trace", "--live", ...question, "--json"]);
  expect(traced.status, traced.stderr).toBe(0);
  expect(traced.stdout).toContain("IP_INNOROUTES");
  expect(readNodes()).toEqual(["pod-0-0", "pod-1-0"]);
  expect(left()).toBe("");
  const kept = join(top, "all.tar.gz");
  const swept = await hairpin(["sweep", "--live", "--keep", kept, "--json"]);
  expect(swept.status, swept.stderr).toBe(1);
  expect(swept.stdout).toContain("BLACKHOLE_ROUTE");
  expect(left()).toBe("");
  const same = await hairpin(["diff", kept, "--live"]);
  expect(same.status, same.stdout).toBe(0);
  mended();
  try {
    const other = await hairpin(["diff", kept, "--live"]);
    expect(other.status, other.stderr).toBe(1);
    expect(other.stdout).toContain("blackhole");
  } finally {
    broken();
  }
  const none = await hairpin(["trace", ...question]);
  expect(none.status).toBe(64);
  expect(none.stderr).toContain("case");
});

test("guard --live: nothing without --yes, the undo first; asked again, and taken back unless it works", {
  timeout: 120_000,
}, async () => {
  const guard = ["guard", "--live", "--from", FROM_TO[0]!, "--to", FROM_TO[1]!, "--fix", "ROUTE_REMOVE"];
  const changed = () => (existsSync(join(state, "changed")) ? readFileSync(join(state, "changed"), "utf8") : "");
  const plan = await hairpin(guard);
  expect(plan.status, plan.stderr).toBe(0);
  expect(plan.stdout).toMatch(
    /To take it back:\n {2}node-0: (ip route add blackhole .*)\nIt would:\n {2}node-0: ip route del /,
  );
  expect(plan.stdout).toContain("Nothing was changed.");
  expect(changed()).toBe("");
  const failed = await hairpin([...guard, "--yes"]);
  expect(failed.status, failed.stderr).toBe(1);
  expect(failed.stdout).toContain("Asked again: UNREACHABLE.\ntaken back on node-0\n");
  expect(changed()).toMatch(/^ip route del [\s\S]*^ip route add blackhole /m);
  try {
    const done = await hairpin([...guard, "--yes"], { MENDS: "1" });
    expect(done.status, done.stderr).toBe(0);
    expect(done.stdout.indexOf("To take it back:")).toBeLessThan(done.stdout.indexOf("Asked again: REACHABLE."));
    expect(done.stdout).not.toContain("taken back on");
  } finally {
    broken();
  }
  expect(left()).toBe("");
});

test("--ssh reads nodes to which no pod leads, at the addresses that their objects have", {
  timeout: 120_000,
}, async () => {
  const { stdout, stderr, status } = await hairpin(["live", ...FROM_TO, "--ssh", "ops"], { FORBIDDEN: "1" });
  expect(status, stderr).toBe(1);
  expect(stdout).toContain("BLACKHOLE_ROUTE");
  expect(calls()).toMatch(/^ssh .* -- ops@10\.0\.0\.0 sudo -n sh -s -- -o - --pod \S+=shop\/pod-0-0 --named-only$/m);
  expect((await hairpin(["live", ...FROM_TO], { FORBIDDEN: "1" })).status).not.toBe(1);
  expect((await hairpin(["live", ...FROM_TO, "--ssh", "-oProxyCommand=x"])).status).toBe(64);
});
