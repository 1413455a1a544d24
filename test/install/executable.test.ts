import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { childrenMilliseconds } from "@hairpin/testing/cpu.ts";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const bundle = join(root, "packages/cli/dist/hairpin.mjs");
const built = existsSync(bundle) && process.platform === "linux";
if (!built) console.warn("SKIPPED: the single executable and the image: npm run build makes what they hold");

describe.skipIf(!built)("the single executable, in an empty folder", () => {
  let folder = "";
  const make = (script: string) => {
    const started = (env: NodeJS.ProcessEnv) =>
      spawnSync(process.execPath, [join(root, "scripts", script), join(folder, "made")], { encoding: "utf8", env });
    const first = started(process.env);
    // A Node that was copied to a machine as a file alone has no licence beside it: the script says how to say where one is.
    const done = first.stderr.includes("NODE_LICENSE=FILE")
      ? started({ ...process.env, NODE_LICENSE: join(root, "LICENSE") })
      : first;
    expect([done.stderr, done.status]).toEqual([expect.anything(), 0]);
    return done.stdout.trim();
  };
  /** With nothing in PATH: no Node. */
  const run = (command: string, ...args: readonly string[]) =>
    spawnSync(command, args, { cwd: folder, encoding: "utf8", env: { PATH: "/nowhere", LANG: "C" } });
  let executable = "";

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "hairpin-executable-"));
    mkdirSync(join(folder, "made"));
    executable = make("executable.mjs");
    cpSync(join(root, "cases/hairpin-mode-off"), join(folder, "my-case"), { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("answers without Node, and says what it is", () => {
    const { status, stdout, stderr } = run(executable, "diagnose", "my-case");
    expect([status, stdout, stderr]).toEqual([1, expect.stringContaining("(HAIRPIN_OFF,"), ""]);
    const told = JSON.parse(run(executable, "version", "--json").stdout) as { form: string; version: string };
    expect([told.form, told.version]).toEqual(["executable", "0.1.0"]);
    expect(readdirSync(join(folder, "made/licenses")).sort()).toEqual([
      "LICENSE",
      "NODE-LICENSE",
      "THIRD-PARTY-NOTICES.txt",
    ]);
  });

  test("holds the page and the server of agents", async () => {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(
      new StdioClientTransport({
        command: executable,
        args: ["mcp"],
        cwd: folder,
        env: { PATH: "/nowhere" },
        stderr: "pipe",
      }),
    );
    const told = await client.callTool({ name: "diagnose", arguments: { case: "my-case" } });
    expect((told.structuredContent as { verdict: string }).verdict).toBe("unreachable");
    await client.close();
  });

  test("starts no slower than the bundle", () => {
    // Time of the processor, which a busy machine does not change. In turn, so that both meet the same caches.
    const own: number[] = [];
    const bundled: number[] = [];
    for (let i = 0; i < 5; i++) {
      bundled.push(childrenMilliseconds(() => run(process.execPath, bundle, "diagnose", "my-case")));
      own.push(childrenMilliseconds(() => run(executable, "diagnose", "my-case")));
    }
    // One tick is what the account itself is off by.
    expect(Math.min(...own)).toBeLessThanOrEqual(Math.min(...bundled) + 10);
  });

  test("the image: its layer unpacked runs as somebody else than root, and is made again the same", () => {
    const archive = make("image.mjs");
    const layout = join(folder, "made/image");
    const blob = (digest: string) => readFileSync(join(layout, "blobs", digest.replace(":", "/")));
    const json = (digest: string) => JSON.parse(blob(digest).toString()) as Record<string, never>;
    const index = JSON.parse(readFileSync(join(layout, "index.json"), "utf8")) as {
      manifests: { digest: string; size: number }[];
    };
    const manifest = json(index.manifests[0]!.digest) as unknown as {
      config: { digest: string };
      layers: { digest: string; size: number }[];
    };
    const config = json(manifest.config.digest) as unknown as {
      config: { User: string; Entrypoint: string[] };
      rootfs: { diff_ids: string[] };
    };
    for (const digest of [index.manifests[0]!.digest, manifest.config.digest, manifest.layers[0]!.digest])
      expect(`sha256:${createHash("sha256").update(blob(digest)).digest("hex")}`).toBe(digest);
    const tar = gunzipSync(blob(manifest.layers[0]!.digest));
    expect(`sha256:${createHash("sha256").update(tar).digest("hex")}`).toBe(config.rootfs.diff_ids[0]);
    expect(config.config).toMatchObject({ User: "65532:65532", Entrypoint: ["/hairpin"] });
    expect(statSync(archive).size).toBeGreaterThan(manifest.layers[0]!.size);

    const system = join(folder, "system");
    mkdirSync(system);
    expect(spawnSync("tar", ["-x", "-C", system], { input: tar }).status).toBe(0);
    expect(readdirSync(system).sort()).toEqual(expect.arrayContaining(["etc", "hairpin", "licenses", "tmp", "cases"]));
    expect(readdirSync(join(system, "licenses"))).toEqual(expect.arrayContaining(["LICENSE", "NODE-LICENSE"]));
    if (process.getuid?.() === 0) {
      cpSync(join(folder, "my-case"), join(system, "cases/my-case"), { recursive: true });
      const { status, stdout } = spawnSync(
        "chroot",
        [`--userspec=${config.config.User}`, system, ...config.config.Entrypoint, "diagnose", "/cases/my-case"],
        { encoding: "utf8", env: { PATH: process.env.PATH } },
      );
      expect([status, stdout]).toEqual([1, expect.stringContaining("(HAIRPIN_OFF,")]);
    }
    make("image.mjs");
    const again = JSON.parse(readFileSync(join(layout, "index.json"), "utf8")) as typeof index;
    expect(again.manifests[0]!.digest).toBe(index.manifests[0]!.digest);
  });
});
