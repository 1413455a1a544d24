import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const built = existsSync(join(root, "packages/cli/dist/program.cjs"));
if (!built) console.warn("SKIPPED: the package: npm run build makes what it holds");

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
    expect([status, out]).toEqual([1, expect.stringContaining("HAIRPIN_OFF (proven)")]);
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
    expect((await client.listTools()).tools).toHaveLength(5);
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
    const tsc = run(process.execPath, join(root, "node_modules/typescript/bin/tsc"), "-p", ".");
    expect(tsc.out.split("\n").filter((l) => l.includes("error TS"))).toEqual([
      expect.stringMatching(/^example\.ts.*'number' is not assignable to type 'string'/),
    ]);
    const exported = [...page.matchAll(/`(?:new )?([a-zA-Z]+)\(/g)].map((m) => m[1]!);
    const text = readFileSync(join(folder, "node_modules/hairpin/library/types/case/library.d.ts"), "utf8");
    expect(exported.filter((name) => !text.includes(name))).toEqual([]);
  });

  test("is gone when it is removed", () => {
    expect(run("npm", "uninstall", "--offline", "--no-audit", "--no-fund", "hairpin").status).toBe(0);
    expect(existsSync(join(folder, "node_modules/hairpin"))).toBe(false);
    expect(existsSync(join(folder, "node_modules/.bin/hairpin"))).toBe(false);
  });
});
