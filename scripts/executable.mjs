// The single executable, by Node's own means (SEA): this Node with the program inside. `node scripts/executable.mjs [FOLDER]` prints where it lies.
// With a file as second word, that Node is taken: of the same release, for Windows (node.exe).
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { inject } from "postject";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const cli = join(root, "packages/cli");
const out = resolve(process.argv[2] ?? join(root, "dist"));
const work = join(out, ".executable");
const node = resolve(process.argv[3] ?? process.execPath);
const name = node.endsWith(".exe") ? "hairpin.exe" : "hairpin";

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr || stdout}`);
}

/** What this Node compiled of the program while it answered: the same Node is inside the executable. */
function compiled() {
  const cache = join(cli, "dist/cache");
  const found = () =>
    existsSync(cache)
      ? readdirSync(cache).find((f) => f.startsWith(`${process.version}-${process.arch}-`) && f.endsWith(".bin"))
      : undefined;
  if (found() === undefined)
    spawnSync(process.execPath, [
      join(cli, "dist/hairpin.cjs"),
      "diagnose",
      join(root, "cases/hairpin-mode-off"),
      "--json",
    ]);
  return join(cache, found());
}

if (!existsSync(join(cli, "dist/program.cjs"))) run(process.execPath, [join(root, "scripts/build.mjs")]);
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
await build({
  entryPoints: [join(cli, "src/executable.ts")],
  outfile: join(work, "boot.cjs"),
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  logLevel: "warning",
});
writeFileSync(
  join(work, "sea.json"),
  JSON.stringify({
    main: join(work, "boot.cjs"),
    output: join(work, "parts.blob"),
    disableExperimentalSEAWarning: true,
    assets: {
      "program.cjs": join(cli, "dist/program.cjs"),
      "program.cache": compiled(),
      "mcp.cjs": join(cli, "dist/mcp.cjs"),
      "page.html": join(cli, "dist/page.html"),
      "zh.json": join(cli, "dist/zh.json"),
    },
  }),
);
run(process.execPath, ["--experimental-sea-config", join(work, "sea.json")]);

const file = join(out, name);
rmSync(file, { force: true });
copyFileSync(node, file);
chmodSync(file, 0o755);
if (process.platform === "darwin") run("codesign", ["--remove-signature", file]);
await inject(file, "NODE_SEA_BLOB", readFileSync(join(work, "parts.blob")), {
  sentinelFuse: "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2",
  ...(process.platform === "darwin" ? { machoSegmentName: "NODE_SEA" } : {}),
});
if (process.platform === "darwin") run("codesign", ["--sign", "-", file]);

// What must travel with it: Hairpin's licence, those of what it holds, and Node's own.
const licences = join(out, "licenses");
mkdirSync(licences, { recursive: true });
cpSync(join(root, "LICENSE"), join(licences, "LICENSE"));
cpSync(join(cli, "dist/THIRD-PARTY-NOTICES.txt"), join(licences, "THIRD-PARTY-NOTICES.txt"));
const places = ["LICENSE", "../LICENSE", "../share/doc/nodejs/LICENSE", "../share/doc/node/LICENSE"];
// That of this Node where another of the same release was given.
const beside = [node, process.execPath].flatMap((n) => places.map((p) => join(dirname(n), p))).find(existsSync);
const nodes = process.env.NODE_LICENSE ?? beside;
if (nodes === undefined)
  throw new Error(
    "the licence of Node, which travels with it, is not beside this Node: say where it is, NODE_LICENSE=FILE",
  );
cpSync(nodes, join(licences, "NODE-LICENSE"));
rmSync(work, { recursive: true, force: true });
process.stdout.write(`${file}\n`);
