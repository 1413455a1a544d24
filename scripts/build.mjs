// Bundles the command line, so that it starts fast and needs nothing beside Node: the program, and the boot that starts it.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildPage, pageInputs, reportAssets } from "../packages/web/build.mjs";
import { noticesOf } from "./notices.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const cli = join(root, "packages/cli");
const { version } = JSON.parse(readFileSync(join(cli, "package.json"), "utf8"));
const dist = join(cli, "dist");

/** Written beside and renamed, so that a call meanwhile runs the old file or the new one, never half of one. */
async function bundle(entry, name, options) {
  const fresh = join(dist, `.${name}-${process.pid}`);
  try {
    const { metafile } = await build({
      metafile: true,
      absWorkingDir: root,
      entryPoints: [join(root, "packages", entry)],
      outfile: fresh,
      bundle: true,
      platform: "node",
      target: "node20",
      minifySyntax: true,
      minifyWhitespace: true,
      legalComments: "none",
      logLevel: "warning",
      ...options,
    });
    // The boot reads bytes as characters: regular expressions and tagged templates are left as they are by the bundler.
    const text = readFileSync(fresh, "utf8");
    const ascii = text.replace(/[^\x00-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
    if (ascii !== text) writeFileSync(fresh, ascii);
    renameSync(fresh, join(dist, name));
    return Object.keys(metafile.inputs);
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** The words of the readers, which --anonymise leaves as they are. */
async function knownWords() {
  const entry = join(root, "packages/collect/src/anonymise/known-words.ts");
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
  });
  const code = Buffer.from(outputFiles[0].text).toString("base64");
  const { wordsOfSource } = await import(`data:text/javascript;base64,${code}`);
  return wordsOfSource([join(root, "packages/core/src"), join(root, "packages/case/src")]).join(" ");
}

rmSync(join(dist, "cache"), { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
// The page lies beside the program and is read when it is asked for.
writeFileSync(join(dist, `.page-${process.pid}`), await buildPage(version));
renameSync(join(dist, `.page-${process.pid}`), join(dist, "page.html"));
// One function that the boot calls: it hands in what a module would have.
const program = await bundle("cli/src/main.ts", "program.cjs", {
  format: "cjs",
  define: {
    HAIRPIN_VERSION: JSON.stringify(version),
    HAIRPIN_REPORT_ASSETS: JSON.stringify(await reportAssets()),
    HAIRPIN_COLLECT_SCRIPT: JSON.stringify(readFileSync(join(root, "packages/collect/src/collect.sh"), "utf8")),
    HAIRPIN_WORDS: JSON.stringify(await knownWords()),
    "import.meta.url": "__url",
  },
  banner: { js: "(function (require, __url, HAIRPIN_BESIDE, HAIRPIN_EXECUTABLE) {" },
  footer: { js: "})" },
});
// The server of agents, which only `hairpin mcp` reads: the protocol's SDK is as large as a third of the rest.
const mcp = await bundle("mcp/src/index.ts", "mcp.cjs", {
  format: "cjs",
  banner: { js: "(function (require, module) {" },
  footer: { js: "})" },
});
const boot = await bundle("cli/src/boot.ts", "hairpin.mjs", { format: "esm", banner: { js: "#!/usr/bin/env node" } });
const inputs = [...program, ...mcp, ...boot, ...(await pageInputs())].map((path) => join(root, path));
writeFileSync(join(dist, "THIRD-PARTY-NOTICES.txt"), noticesOf(inputs));

// One answer now, so that what it takes is compiled for every later call. Without it the first call does the same.
spawnSync(process.execPath, [join(dist, "hairpin.mjs"), "diagnose", join(root, "cases/hairpin-mode-off"), "--json"], {
  stdio: "ignore",
});
