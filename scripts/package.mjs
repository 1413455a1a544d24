// The npm package: everything it holds in one folder, packed. `node scripts/package.mjs` prints where the archive lies.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const cli = join(root, "packages/cli");
const out = resolve(process.argv[2] ?? join(root, "dist"));
const folder = join(out, "package");

/** Declarations of the library, with all that they name, as a tree that stands alone. */
function declarations(entry, target) {
  const typesOf = { case: join(root, ".types/case"), core: join(root, ".types/core") };
  const place = (file) => {
    const [name, base] = Object.entries(typesOf).find(([, base]) => file.startsWith(`${base}/`));
    return join(target, name, relative(base, file));
  };
  const seen = new Set();
  const visit = (file) => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, "utf8");
    const foreign = [...text.matchAll(/^(?:import|export)\b[^"\n]*\bfrom "([^".][^"]*)"/gm)].find(
      (m) => !m[1].startsWith("@hairpin/"),
    );
    if (foreign !== undefined) throw new Error(`${file} needs ${foreign[1]}, which is not packed`);
    const own = text.replace(/"((?:\.{1,2}|@hairpin\/\w+)\/[^"\s]+)\.ts"/g, (_, specifier) => {
      const inPackage = /^@hairpin\/(\w+)\/(.+)$/.exec(specifier);
      const source = inPackage === null ? resolve(dirname(file), specifier) : join(typesOf[inPackage[1]], inPackage[2]);
      visit(`${source}.d.ts`);
      const way = relative(dirname(place(file)), place(`${source}.d.ts`)).replace(/\.d\.ts$/, ".js");
      return `"${way.startsWith(".") ? way : `./${way}`}"`;
    });
    mkdirSync(dirname(place(file)), { recursive: true });
    writeFileSync(place(file), own);
  };
  visit(entry);
  return seen.size;
}

function run(command, args, options) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", ...options });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr || stdout}`);
  return stdout;
}

if (!existsSync(join(cli, "dist/program.cjs"))) run(process.execPath, [join(root, "scripts/build.mjs")]);
if (!existsSync(join(root, ".types/case/library.d.ts"))) run("npx", ["tsc", "-b"], { cwd: root });
rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, "dist"), { recursive: true });

for (const name of [
  "hairpin.cjs",
  "hairpin.mjs",
  "program.cjs",
  "mcp.cjs",
  "page.html",
  "zh.json",
  "THIRD-PARTY-NOTICES.txt",
])
  cpSync(join(cli, "dist", name), join(folder, "dist", name));
// The lab's Python program, which the command looks for beside itself.
cpSync(join(root, "packages/lab/executor"), join(folder, "dist/executor"), {
  recursive: true,
  filter: (path) => !/__pycache__|\.pyc$/.test(path),
});
cpSync(join(root, "schema"), join(folder, "schema"), { recursive: true });
cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
cpSync(join(root, "deploy/npm/README.md"), join(folder, "README.md"));
// The names by which kubectl finds a plugin and its completion.
const plugins = { "kubectl-hairpin": ["kubectl"], "kubectl_complete-hairpin": ["kubectl", "complete", "--"] };
for (const [name, words] of Object.entries(plugins))
  writeFileSync(
    join(folder, `dist/${name}.mjs`),
    `#!/usr/bin/env node\nprocess.argv.splice(2, 0, ...${JSON.stringify(words)});\nawait import("./hairpin.cjs");\n`,
  );
const bin = {
  hairpin: "dist/hairpin.cjs",
  ...Object.fromEntries(Object.keys(plugins).map((name) => [name, `dist/${name}.mjs`])),
};
for (const path of Object.values(bin)) chmodSync(join(folder, path), 0o755);

await build({
  absWorkingDir: root,
  entryPoints: [join(root, "packages/case/src/library.ts")],
  outfile: join(folder, "library/index.mjs"),
  bundle: true,
  platform: "neutral",
  format: "esm",
  target: "es2022",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
});
declarations(join(root, ".types/case/library.d.ts"), join(folder, "library/types"));

const { name, version, license, type, engines } = JSON.parse(readFileSync(join(cli, "package.json"), "utf8"));
const manifest = {
  name,
  version,
  description: "Can FROM reach TO, and does the answer come back? Answers from dumps of Linux and Kubernetes nodes.",
  license,
  type,
  engines,
  bin,
  exports: {
    ".": { types: "./library/types/case/library.d.ts", default: "./library/index.mjs" },
    "./schema/*": "./schema/*",
    "./package.json": "./package.json",
  },
};
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", out], { cwd: folder }));
process.stdout.write(`${join(out, packed.filename)}\n`);
