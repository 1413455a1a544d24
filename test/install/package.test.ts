import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";

const root = resolve(import.meta.dirname, "../..");
const built = existsSync(join(root, "packages/cli/dist/program.cjs"));
if (!built) console.warn("SKIPPED: the package: npm run build makes what it holds");

interface KrewManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly version: string;
    readonly shortDescription: string;
    readonly platforms: readonly {
      readonly selector: { readonly matchLabels: { readonly os: string; readonly arch: string } };
      readonly uri: string;
      readonly sha256: string;
      readonly bin: string;
      readonly files: readonly { readonly from: string; readonly to: string }[];
    }[];
  };
}

const filesUnder = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((e) =>
    e.isFile() ? [join(e.parentPath, e.name)] : [],
  );

describe.skipIf(!built)("the npm package, in an empty folder", () => {
  let made = "";
  let folder = "";
  const run = (command: string, ...args: readonly string[]) => {
    const done = spawnSync(command, args, {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, LANG: "C", LC_ALL: "C" },
    });
    return { status: done.status, out: done.stdout, err: done.stderr };
  };
  const hairpin = (...args: readonly string[]) =>
    run(process.execPath, join(folder, "node_modules/hairpin/dist/hairpin.mjs"), ...args);

  beforeAll(() => {
    made = mkdtempSync(join(tmpdir(), "hairpin-made-"));
    folder = mkdtempSync(join(tmpdir(), "hairpin-installed-"));
    const packed = spawnSync(process.execPath, [join(root, "scripts/package.mjs"), made], { encoding: "utf8" });
    expect([packed.stderr, packed.status]).toEqual([expect.anything(), 0]);
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    cpSync(join(root, "cases/hairpin-mode-off"), join(folder, "my-case"), { recursive: true });
    // Without the network and without install scripts: nothing is fetched and nothing is built.
    const installed = run(
      "npm",
      "install",
      "--offline",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      packed.stdout.trim(),
    );
    expect([installed.err, installed.status]).toEqual([expect.anything(), 0]);
  });
  afterAll(() => {
    for (const path of [made, folder]) rmSync(path, { recursive: true, force: true });
  });

  test("brings no other package, no build, and nothing that names the machine it was made on", () => {
    expect(readdirSync(join(folder, "node_modules")).filter((n) => !n.startsWith("."))).toEqual(["hairpin"]);
    const installed = join(folder, "node_modules/hairpin");
    const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Record<string, unknown>;
    expect([manifest.dependencies, manifest.scripts, manifest.version]).toEqual([undefined, undefined, "0.1.0"]);
    const named = filesUnder(installed).filter((f) => readFileSync(f, "latin1").includes(root));
    expect(named).toEqual([]);
    for (const name of ["LICENSE", "README.md", "dist/THIRD-PARTY-NOTICES.txt", "dist/executor/__main__.py"])
      expect([name, existsSync(join(installed, name))]).toEqual([name, true]);
  });

  test("npx runs it on a case", () => {
    const { status, out } = run("npx", "--no-install", "hairpin", "diagnose", "my-case");
    expect([status, out]).toEqual([1, expect.stringContaining("(HAIRPIN_OFF,")]);
  });

  test("version --json is as its schema says, which the package brings", () => {
    const { out } = hairpin("version", "--json");
    const schema = readFileSync(join(folder, "node_modules/hairpin/schema/version.schema.json"), "utf8");
    const validate = new Ajv2020({ strict: false }).compile(JSON.parse(schema) as object);
    const told = JSON.parse(out) as { version: string; form: string; node: string };
    expect([validate(told), validate.errors]).toEqual([true, null]);
    expect([told.version, told.form, told.node]).toEqual(["0.1.0", "package", process.version]);
    expect(hairpin("version").out).toBe("0.1.0\n");
    expect(hairpin("--version").out).toBe("0.1.0\n");
  });

  test("serves agents", async () => {
    const client = new Client({ name: "test", version: "1" });
    const command = join(folder, "node_modules/.bin/hairpin");
    await client.connect(new StdioClientTransport({ command, args: ["mcp"], cwd: folder, stderr: "pipe" }));
    expect((await client.listTools()).tools).toHaveLength(6);
    await client.close();
  });

  test("docs/library.md: the example prints what the page says, and its types hold", () => {
    const page = readFileSync(join(root, "docs/library.md"), "utf8");
    const example = /<!-- example -->\n```ts\n([\s\S]*?)```/.exec(page)![1]!;
    const printed = /<!-- printed -->\n```\n([\s\S]*?)```/.exec(page)![1]!;
    writeFileSync(join(folder, "example.mjs"), example);
    const { out, err } = run(process.execPath, "example.mjs");
    expect([out, err]).toEqual([printed, ""]);
    writeFileSync(join(folder, "example.ts"), `${example}\ndiagnose(askable, { from: 1 });\n`);
    writeFileSync(
      join(folder, "tsconfig.json"),
      '{ "compilerOptions": { "module": "nodenext", "target": "es2022", "lib": ["es2022", "dom"], "strict": true, "noEmit": true, "types": [] }, "files": ["example.ts"] }',
    );
    // One error, where a question is asked by a number; none in the example, none in the declarations.
    const tsc = run(process.execPath, join(root, "node_modules/typescript/bin/tsc"), "-p", ".", "--pretty", "false");
    expect(tsc.out.split("\n").filter((l) => l.includes("error TS"))).toEqual([
      expect.stringMatching(/^example\.ts.*'number' is not assignable to type 'string'/),
    ]);
    const exported = [...page.matchAll(/`(?:new )?([a-zA-Z]+)\(/g)].map((m) => m[1]!);
    const text = readFileSync(join(folder, "node_modules/hairpin/library/types/case/library.d.ts"), "utf8");
    expect(exported.filter((name) => !text.includes(name))).toEqual([]);
  });

  describe("as a plugin of kubectl", () => {
    let bin = "";
    beforeAll(() => {
      // A kubectl that shows one cluster, notes how it was called, and finds its plugins as the real one does.
      bin = join(folder, "bin");
      mkdirSync(bin);
      writeFileSync(
        join(bin, "kubectl"),
        `#!/bin/sh
if [ "$1" = hairpin ]; then shift; exec kubectl-hairpin "$@"; fi
if [ "$1" = __complete ]; then shift 2; exec kubectl_complete-hairpin "$@"; fi
printf '%s\\n' "$*" >>'${folder}/called'
case "$*" in
*"get services -A -o yaml") cat '${root}/cases/objects-alone/kubectl-get-all.yaml' ;;
*"config view"*) printf shop ;;
*"get namespaces -o name") printf 'namespace/shop\\nnamespace/kube-system\\n' ;;
*"get svc -o name") printf 'service/api\\nservice/web\\n' ;;
*"get-contexts -o name") printf 'prod\\ntest\\n' ;;
esac
`,
        { mode: 0o755 },
      );
    });
    const kubectl = (...args: readonly string[]) => {
      rmSync(join(folder, "called"), { force: true });
      const done = spawnSync("kubectl", args, {
        cwd: folder,
        encoding: "utf8",
        env: { ...process.env, LC_ALL: "C", PATH: `${bin}:${join(folder, "node_modules/.bin")}:${process.env.PATH}` },
      });
      const called = existsSync(join(folder, "called")) ? readFileSync(join(folder, "called"), "utf8").split("\n") : [];
      return { status: done.status, out: done.stdout, err: done.stderr, called };
    };
    const stated = parse(readFileSync(join(root, "cases/objects-alone/case.yaml"), "utf8")) as {
      question: { from: string; to: string };
      expect: { verdict: string; causes: string[] };
    };
    const [, namespace, service] = stated.question.to.split("/");

    test("names are looked for in the namespace, and the cluster is the one that was named", () => {
      const told = kubectl(
        "hairpin",
        "diagnose",
        stated.question.from,
        `service/${service}`,
        "-n",
        namespace!,
        "--context",
        "prod",
        "--kubeconfig",
        "/k/config",
        "-o",
        "json",
      );
      const json = JSON.parse(told.out) as { verdict: string; causes: { code: string }[]; question: { to: string } };
      expect([json.verdict, json.causes.map((c) => c.code), json.question.to]).toEqual([
        stated.expect.verdict,
        stated.expect.causes,
        stated.question.to,
      ]);
      expect(told.status).toBe(1);
      expect(told.called.filter((c) => c !== "" && !c.startsWith("--context=prod --kubeconfig=/k/config "))).toEqual(
        [],
      );
    });

    test("the namespace of the context, -o yaml, -o wide and text", () => {
      const asked = ["hairpin", "diagnose", stated.question.from, stated.question.to];
      const yaml = parse(kubectl(...asked, "-o", "yaml").out) as { schema: string; verdict: string };
      expect([yaml.schema, yaml.verdict]).toEqual(["hairpin/diagnosis/1", stated.expect.verdict]);
      for (const wide of [[], ["-o", "wide"]]) {
        const { out, status } = kubectl(...asked, ...wide);
        expect([out, status]).toEqual([expect.stringContaining(`(${stated.expect.causes[0]},`), 1]);
      }
      expect(kubectl(...asked, "-o", "xml").status).toBe(64);
      const bare = kubectl("hairpin", "diagnose", "external", "svc/nothing-there");
      expect([bare.status, bare.err]).toEqual([64, expect.stringContaining("shop/nothing-there")]);
      expect(kubectl("hairpin", "check").out).toContain("kubernetes/services.yaml");
    });

    test("completion as cobra asks for it", () => {
      const complete = (...words: readonly string[]) =>
        kubectl("__complete", "hairpin", ...words)
          .out.split("\n")
          .filter((l) => l !== "");
      expect(complete("").map((l) => l.split("\t")[0])).toEqual(["live", "diagnose", "check", ":4"]);
      expect(complete("diagnose", "-o", "")).toEqual(["json", "yaml", "wide", ":4"]);
      expect(complete("diagnose", "-n", "k")).toEqual(["kube-system", ":4"]);
      expect(complete("diagnose", "--context", "")).toEqual(["prod", "test", ":4"]);
      expect(complete("diagnose", "pod/a", "svc/w")).toEqual(["svc/web", ":4"]);
      expect(complete("diagnose", "--kubec")).toEqual([expect.stringMatching(/^--kubeconfig\t/), ":4"]);
    });
  });

  test("the krew manifest is as krew wants it", () => {
    const other = join(folder, "windows.tar.gz");
    writeFileSync(other, "stands for the archive that is made on a machine with node.exe");
    const archive = join(made, "hairpin-0.1.0.tgz");
    const { out, status } = run(
      process.execPath,
      join(root, "scripts/krew.mjs"),
      "https://example.com/v0.1.0",
      archive,
      other,
    );
    expect(status).toBe(0);
    const manifest = parse(out) as KrewManifest;
    // The rules of krew's own validation.
    expect([manifest.apiVersion, manifest.kind, manifest.metadata.name]).toEqual([
      "krew.googlecontainertools.github.com/v1alpha2",
      "Plugin",
      "hairpin",
    ]);
    expect(manifest.spec.version).toMatch(/^v\d+\.\d+\.\d+$/);
    expect(manifest.spec.shortDescription).toMatch(/^.{1,80}$/);
    const named = manifest.spec.platforms.map((p) => `${p.selector.matchLabels.os}/${p.selector.matchLabels.arch}`);
    expect(named).toEqual(["linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"]);
    for (const p of manifest.spec.platforms) {
      expect(p.uri).toMatch(/^https:\/\/example\.com\/v0\.1\.0\/.+\.(?:tgz|tar\.gz)$/);
      expect(p.sha256).toMatch(/^[a-f0-9]{64}$/);
      expect(p.files.every((f) => f.from !== "" && f.to !== "")).toBe(true);
    }
    // Unpacked as krew does, the plugin runs from where it was linked to.
    const store = join(folder, "krew");
    mkdirSync(store);
    expect(run("tar", "-xzf", archive, "-C", store).status).toBe(0);
    const [linux] = manifest.spec.platforms;
    for (const { from, to } of linux!.files) {
      expect([from, existsSync(join(store, from))]).toEqual([from, true]);
      renameSync(join(store, from), join(store, to, basename(from)));
    }
    symlinkSync(join(store, linux!.bin), join(folder, "kubectl-hairpin"));
    expect(run(join(folder, "kubectl-hairpin"), "diagnose", "--help").out).toContain("hairpin kubectl diagnose");
  });

  test("is gone when it is removed", () => {
    expect(run("npm", "uninstall", "--offline", "--no-audit", "--no-fund", "hairpin").status).toBe(0);
    expect(existsSync(join(folder, "node_modules/hairpin"))).toBe(false);
    expect(existsSync(join(folder, "node_modules/.bin/hairpin"))).toBe(false);
  });
});
