import { execFile } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

interface Outcome {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}
const call = (file: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd = "/"): Promise<Outcome> =>
  new Promise((done) => {
    execFile(file, args, { env, cwd }, (error, out, err) => {
      done({ status: error === null ? 0 : Number(error.code ?? 1), out, err });
    });
  });

/** A clone in miniature: the real launcher, a stand-in for npm and for the build that notice being run twice at once. */
describe("./hairpin", () => {
  let clone: string;
  let env: NodeJS.ProcessEnv;
  const log = () => (existsSync(join(clone, "log")) ? readFileSync(join(clone, "log"), "utf8").trim().split("\n") : []);
  const file = (path: string, content: string) => {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    writeFileSync(join(clone, path), content);
  };

  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), "hairpin-clone-"));
    copyFileSync(join(root, "hairpin"), join(clone, "hairpin"));
    file("package-lock.json", "{}");
    file("packages/cli/src/main.ts", "one");
    file(
      "scripts/build.mjs",
      `import { appendFileSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
mkdirSync("building");
await new Promise((r) => setTimeout(r, 200));
const main = readFileSync("packages/cli/src/main.ts", "utf8");
mkdirSync("packages/cli/dist", { recursive: true });
writeFileSync("packages/cli/dist/hairpin.cjs", "console.log(" + JSON.stringify(main) + ", process.argv.slice(2).join(' '))");
appendFileSync("log", "build\\n");
console.log("noise on stdout");
rmdirSync("building");
`,
    );
    file(
      "bin/npm",
      `#!/bin/sh
mkdir installing || exit 1
sleep 0.2
mkdir -p node_modules/esbuild
: > node_modules/.package-lock.json
echo npm "$1" >> log
echo noise on stdout
rmdir installing
`,
    );
    chmodSync(join(clone, "bin/npm"), 0o755);
    env = { ...process.env, PATH: `${join(clone, "bin")}:${process.env.PATH}` };
  });
  afterEach(() => rmSync(clone, { recursive: true, force: true }));

  test("the first call installs and builds, stdout carries only the answer", async () => {
    const first = await call(join(clone, "hairpin"), ["check", "x"], env);
    expect(first).toMatchObject({ status: 0, out: "one check x\n" });
    expect(first.err).toMatch(/installing/);
    expect(log()).toEqual(["npm ci", "build"]);
    const second = await call(join(clone, "hairpin"), ["again"], env);
    expect(second).toMatchObject({ status: 0, out: "one again\n", err: "" });
    expect(log()).toEqual(["npm ci", "build"]);
  });

  test("a newer source is built again, without installing", async () => {
    await call(join(clone, "hairpin"), [], env);
    await new Promise((r) => setTimeout(r, 50));
    file("packages/cli/src/main.ts", "two");
    expect((await call(join(clone, "hairpin"), [], env)).out).toBe("two \n");
    expect(log()).toEqual(["npm ci", "build", "build"]);
  });

  test("it works through links, from anywhere, and by PATH", async () => {
    mkdirSync(join(clone, "elsewhere/deep"), { recursive: true });
    symlinkSync("../../hairpin", join(clone, "elsewhere/deep/relative"));
    symlinkSync(join(clone, "elsewhere/deep/relative"), join(clone, "elsewhere/hp"));
    expect((await call(join(clone, "elsewhere/hp"), ["a"], env)).out).toBe("one a\n");
    expect((await call("hp", ["b"], { ...env, PATH: `${join(clone, "elsewhere")}:${env.PATH}` }, tmpdir())).out).toBe(
      "one b\n",
    );
  });

  test("calls at the same time do not disturb each other", async () => {
    const calls = await Promise.all(
      Array.from({ length: 8 }, (_, i) => call(join(clone, "hairpin"), [String(i)], env)),
    );
    expect(calls.map((c) => [c.status, c.out])).toEqual(calls.map((_, i) => [0, `one ${i}\n`]));
    expect(log()).toEqual(["npm ci", "build"]);
  });

  test("a lock whose owner died is taken over", async () => {
    file(".build/lock/pid", "999999999\n");
    expect((await call(join(clone, "hairpin"), ["x"], env)).out).toBe("one x\n");
    expect(existsSync(join(clone, ".build/lock"))).toBe(false);
  });

  test("a lock whose number was given to another process, and one whose maker died before it wrote its number", async () => {
    file(".build/lock/pid", `${process.pid} 1\n`);
    expect((await call(join(clone, "hairpin"), ["x"], env)).out).toBe("one x\n");
    file(".build/lock/nothing", "");
    file("packages/cli/src/main.ts", "three");
    expect((await call(join(clone, "hairpin"), ["x"], env)).out).toBe("three x\n");
    expect(existsSync(join(clone, ".build/lock"))).toBe(false);
  }, 40_000);

  test.skipIf(process.getuid?.() !== 0)(
    "a checkout that may only be read answers with what was built, and says so",
    async () => {
      await call(join(clone, "hairpin"), [], env);
      await new Promise((r) => setTimeout(r, 50));
      file("packages/cli/src/main.ts", "two");
      chmodSync(clone, 0o755);
      const nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", join(clone, "hairpin"), "x"];
      const read = await call("setpriv", nobody, env);
      expect(read).toMatchObject({ status: 0, out: "one x\n" });
      expect(read.err).toMatch(/answering with the older build/);
      rmSync(join(clone, "packages/cli/dist"), { recursive: true });
      const none = await call("setpriv", nobody, env);
      expect(none).toMatchObject({ status: 69, out: "" });
      expect(none.err).toMatch(/cannot write/);
    },
  );

  test("a failed build says so and leaves no lock", async () => {
    file("scripts/build.mjs", "process.exit(3)");
    const failed = await call(join(clone, "hairpin"), [], env);
    expect(failed).toMatchObject({ status: 69, out: "" });
    expect(failed.err).toMatch(/the build failed/);
    expect(existsSync(join(clone, ".build/lock"))).toBe(false);
  });

  test("an old Node, and none at all", async () => {
    const [shell, ...tools] = ["sh", "dirname", "readlink", "find", "head", "mkdir", "rm", "cat", "mv", "sleep"];
    mkdirSync(join(clone, "few"));
    for (const tool of [shell!, ...tools]) {
      const at = ["/bin", "/usr/bin"].map((d) => join(d, tool)).find(existsSync);
      if (at !== undefined) symlinkSync(at, join(clone, "few", tool));
    }
    const few = { PATH: join(clone, "few") };
    const none = await call(join(clone, "hairpin"), [], few);
    expect(none).toMatchObject({ status: 69, out: "" });
    expect(none.err).toMatch(/Node\.js 20 or newer is needed, and there is no node/);
    file("few/node", "#!/bin/sh\ncase $1 in -p) echo 18 ;; *) echo v18.0.0 ;; esac\n");
    chmodSync(join(clone, "few/node"), 0o755);
    const old = await call(join(clone, "hairpin"), [], few);
    expect(old.status).toBe(69);
    expect(old.err).toMatch(/Node\.js 20 or newer is needed; this is v18/);
  });
});
