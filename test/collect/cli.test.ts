import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { packed } from "../../packages/collect/src/tar.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const top = mkdtempSync(join(tmpdir(), "k-collect-cli-"));
const bin = join(top, "bin");
const tmp = join(top, "tmp");
const log = join(top, "log");
const fake = (name: string, body: string) => {
  writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`);
  chmodSync(join(bin, name), 0o755);
};
const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, TMPDIR: tmp, LOG: log };
const main = ["--import", join(root, "node_modules/tsx/dist/loader.mjs"), join(root, "packages/cli/src/main.ts")];
const hairpin = (...args: string[]) =>
  spawnSync(process.execPath, [...main, "collect", ...args], { cwd: top, env, encoding: "utf8", timeout: 120_000 });
/** Of ours; the loader that runs TypeScript keeps a folder of its own there. */
const leftovers = () => readdirSync(tmp).filter((f) => !f.startsWith("tsx-"));
const pathsIn = (bundle: string) => loadCase([bundle]).inputs.map((i) => i.path);

beforeAll(() => {
  mkdirSync(bin);
  mkdirSync(tmp);
  // A stand-in for ssh: the host decides the host name the script finds; `dead` refuses.
  fake(
    "ssh",
    `while [ "$1" != -- ]; do shift; done; shift; host=$1; shift
echo "$host: $*" >>"$LOG"
[ "$host" != dead ] || { echo "ssh: connect to host dead port 22: Connection refused" >&2; exit 255; }
sed "s|^host=.*plain.*|host=\${host#user@}|" >"$LOG.$host"
[ "$1" != sudo ] || shift 2
shift 3
exec sh "$LOG.$host" --no-pods "$@"`,
  );
  fake(
    "kubectl",
    `echo "$*" >>"$LOG"
case "$*" in
"get nodes -o jsonpath"*) printf 'n1\\tamd64\\tlinux\\t7 registry.k8s.io/pause:3.10\\nn2\\tamd64\\tlinux\\t7 registry.k8s.io/pause:3.10\\n' ;;
"get pods -A -o jsonpath"*) : ;;
"get pod hairpin-"*) echo Running ;;
"get services -A -o yaml") printf 'apiVersion: v1\\nitems:\\n- apiVersion: v1\\n  kind: Service\\n  metadata:\\n    name: web\\n    namespace: shop\\n  spec:\\n    clusterIP: 10.96.0.10\\nkind: List\\n' ;;
"get pods -A -o wide") printf 'NAMESPACE   NAME    READY   STATUS    RESTARTS   AGE   IP           NODE   NOMINATED NODE   READINESS GATES\\nshop        web-0   1/1     Running   0          1d    10.244.1.7   n1     <none>           <none>\\n' ;;
get*) echo "Error from server (Forbidden)" >&2; exit 1 ;;
create*) cat >"$LOG.made.$$"; pod=$(sed 's/.*"name":"\\(hairpin-[0-9a-f]*\\)".*/\\1/' "$LOG.made.$$"); sed 's/.*"nodeName":"\\([^"]*\\)".*/\\1/' "$LOG.made.$$" >"$LOG.$pod" ;;
exec*)
  node=$(cat "$LOG.$5")
  sed "s|^host=.*plain.*|host=$node|" >"$LOG.$node"
  sh "$LOG.$node" --no-pods --base64 ;;
delete*) : ;;
esac`,
  );
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

describe("hairpin collect", () => {
  test("--script prints the script, which is plain sh", () => {
    const { stdout, status } = hairpin("--script");
    expect(status).toBe(0);
    expect(stdout).toBe(readFileSync(join(root, "packages/collect/src/collect.sh"), "utf8"));
    expect(spawnSync("sh", ["-n"], { input: stdout }).status).toBe(0);
  });

  test("here: one bundle, readable, nothing left behind", () => {
    const { stdout, stderr, status } = hairpin("--no-pods", "-o", "here.tar.gz");
    expect(status, stderr).toBe(0);
    expect(stdout).toBe(`${join(top, "here.tar.gz")}\n`);
    const paths = pathsIn(join(top, "here.tar.gz"));
    expect(paths.every((p) => /^nodes\/[^/]+\/[\w.-]+$/.test(p))).toBe(true);
    expect(paths.some((p) => p.endsWith("/manifest.txt"))).toBe(true);
    expect(leftovers()).toEqual([]);
  });

  test("--ssh: several machines at once into one bundle; one that is dead is told", () => {
    const { stderr, status } = hairpin("--ssh", "alpha", "user@beta", "dead", "--sudo", "-o", "ssh.tar.gz");
    expect(status, stderr).toBe(1);
    expect(stderr).toMatch(/^dead: ssh ended with 255: ssh: connect to host dead port 22: Connection refused$/m);
    expect(stderr).toMatch(/^alpha: alpha$/m);
    const nodes = new Set(pathsIn(join(top, "ssh.tar.gz")).map((p) => p.split("/")[1]));
    expect(nodes).toEqual(new Set(["alpha", "beta"]));
    expect(readFileSync(log, "utf8")).toContain("alpha: sudo -n sh -s -- -o -\n");
    expect(leftovers()).toEqual([]);
  });

  test("--ssh: all dead is a failure without a bundle; options are no hosts", () => {
    const all = hairpin("--ssh", "dead", "-o", "none.tar.gz");
    expect([all.status, existsSync(join(top, "none.tar.gz"))]).toEqual([69, false]);
    expect(hairpin("--ssh=-oProxyCommand=id", "-o", "none.tar.gz").status).toBe(64);
  });

  test("--kubectl: every node through a pod of its own, the cluster's objects, and these pods removed", {
    timeout: 120_000,
  }, () => {
    const { stderr, status } = hairpin("--kubectl", "-o", "kubectl.tar.gz");
    expect(status, stderr).toBe(0);
    const loaded = loadCase([join(top, "kubectl.tar.gz")]);
    expect(new Set(loaded.inputs.map((i) => i.path.split("/").slice(0, 2).join("/")))).toEqual(
      new Set(["nodes/n1", "nodes/n2", "kubernetes/services.yaml", "kubernetes/kubectl-get-pods-A-o-wide.txt"]),
    );
    const objects = loaded.reading.dumps.flatMap((d) =>
      d.reading.facts.flatMap((f) => (f.kind === "kubernetes" ? [f.objects] : [])),
    );
    expect(objects.flatMap((o) => o.services.map((s) => s.name))).toEqual(["web"]);
    expect(objects.flatMap((o) => o.pods.map((p) => `${p.namespace}/${p.name}`))).toEqual(["shop/web-0"]);
    const calls = readFileSync(log, "utf8");
    const made = [...calls.matchAll(/^exec -i -n default (hairpin-\w+) -c node -- chroot \/host sh -s/gm)].map(
      (m) => m[1],
    );
    expect(made).toHaveLength(2);
    expect(calls).toMatch(
      new RegExp(`^delete pod (?:${made.join(" ")}|${[...made].reverse().join(" ")}) -n default`, "m"),
    );
  });

  test("interrupted with a pod of ours there: the pod is deleted", async () => {
    const real = readFileSync(join(bin, "kubectl"), "utf8");
    fake(
      "kubectl",
      `echo "$*" >>"$LOG"
case "$*" in
create*) cat >"$LOG.made" ;;
"get pod "*) touch "$LOG.debug"; exec sleep 50 ;;
esac`,
    );
    try {
      const child = spawn(process.execPath, [...main, "collect", "--kubectl", "n9", "-o", "killed-pod.tar.gz"], {
        cwd: top,
        env,
        stdio: "ignore",
      });
      while (!existsSync(`${log}.debug`)) await new Promise((r) => setTimeout(r, 50));
      await new Promise((r) => setTimeout(r, 200));
      const ended = new Promise((r) => child.on("close", r));
      child.kill("SIGINT");
      expect(await ended).toBe(130);
      const made = /"name":"(hairpin-[0-9a-f]+)"/.exec(readFileSync(`${log}.made`, "utf8"))?.[1];
      expect(readFileSync(log, "utf8")).toContain(`delete pod ${made} -n default`);
      expect(leftovers()).toEqual([]);
      expect(readdirSync(top).filter((f) => f.startsWith("killed-pod") || f.startsWith(".hairpin"))).toEqual([]);
    } finally {
      writeFileSync(join(bin, "kubectl"), real);
    }
  });

  test("what another machine says does not reach the terminal as it is", () => {
    const real = readFileSync(join(bin, "ssh"), "utf8");
    fake("ssh", String.raw`printf 'collect: \033]0;owned\007\033[2Jgone\r\302\233' >&2; exit 3`);
    try {
      const { stderr } = hairpin("--ssh", "evil", "-o", "evil.tar.gz");
      expect(stderr).toContain("gone");
      expect(stderr).not.toMatch(/[^\n\x20-\x7e·]/);
    } finally {
      writeFileSync(join(bin, "ssh"), real);
    }
  });

  test.each(["$(id)", "a\nb"])("%j is no host", (host) => {
    expect(hairpin("--ssh", host, "-o", "none.tar.gz").status).toBe(64);
  });

  test("a link planted where the bundle is written before it has its name is not followed", {
    timeout: 120_000,
  }, () => {
    const victim = join(top, "victim");
    writeFileSync(victim, "as it was\n");
    // The process that is replaced knows the number that it will have.
    const plant = `ln -s ${victim} planted.tar.gz.part.$$; exec "$@"`;
    const words = [process.execPath, ...main, "collect", "--no-pods", "-o", "planted.tar.gz"];
    const run = spawnSync("sh", ["-c", plant, "sh", ...words], { cwd: top, env, encoding: "utf8" });
    expect(run.status, run.stderr).toBe(0);
    expect(readFileSync(victim, "utf8")).toBe("as it was\n");
    expect(pathsIn(join(top, "planted.tar.gz")).length).toBeGreaterThan(3);
  });

  test("killed in the middle: no bundle, no temporary file", async () => {
    fake("ip", 'echo $$ >"$LOG.stuck"; exec sleep 50');
    try {
      const child = spawn(process.execPath, [...main, "collect", "--no-pods", "-o", "killed.tar.gz"], {
        cwd: top,
        env,
        stdio: "ignore",
      });
      while (!existsSync(`${log}.stuck`)) await new Promise((r) => setTimeout(r, 50));
      const ended = new Promise((r) => child.on("close", r));
      child.kill("SIGTERM");
      await ended;
      for (let i = 0; i < 50 && leftovers().length > 0; i++) await new Promise((r) => setTimeout(r, 100));
      expect(leftovers()).toEqual([]);
      expect(readdirSync(top).filter((f) => f.startsWith("killed"))).toEqual([]);
    } finally {
      rmSync(join(bin, "ip"));
    }
  });
});

test("a bundle is written as tar reads it, long paths too", () => {
  const long = `nodes/n/pods/${"s".repeat(60)}/${"p".repeat(120)}/ip-rule.txt`;
  const files = [
    { path: "nodes/n/a.txt", text: "ä\n" },
    { path: long, text: "0:\tfrom all lookup local\n" },
    { path: "nodes/n/empty.txt", text: "" },
  ];
  const path = join(top, "packed.tar.gz");
  writeFileSync(path, packed(files));
  expect(spawnSync("tar", ["tzf", path], { encoding: "utf8" }).stdout.trim().split("\n")).toEqual(
    files.map((f) => f.path),
  );
  expect(spawnSync("tar", ["xzOf", path, long], { encoding: "utf8" }).stdout).toBe(files[1]!.text);
  expect(new Map(loadCase([path]).inputs.map((i) => [i.path, i.text]))).toEqual(
    new Map(files.map((f) => [f.path, f.text])),
  );
});
