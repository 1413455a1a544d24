// Bundles the command line, so that it starts fast and needs nothing beside Node: the program, and the boot that starts it.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
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
async function bundle(entry, name, { change = (text) => text, ...options }) {
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
    const ascii = change(text).replace(/[^\x00-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
    if (ascii !== text) writeFileSync(fresh, ascii);
    renameSync(fresh, join(dist, name));
    return Object.keys(metafile.inputs);
  } finally {
    rmSync(fresh, { force: true });
  }
}

const digest = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

/** What a module of the source exports, now. */
async function evaluated(entry) {
  const { outputFiles } = await build({
    entryPoints: [join(root, entry)],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
}

/** The words of the readers, which --anonymise leaves as they are. */
async function knownWords() {
  const { wordsOfSource } = await evaluated("packages/collect/src/anonymise/known-words.ts");
  return wordsOfSource([join(root, "packages/core/src"), join(root, "packages/case/src")]).join(" ");
}

/**
 * The texts as one string each, read when the first is said: English in the program, Chinese beside it. As objects they would be made at
 * every start.
 */
async function textsOnDemand() {
  const { catalogue } = await evaluated("packages/core/src/messages/catalogues.ts");
  writeFileSync(join(dist, `.zh-${process.pid}`), JSON.stringify(catalogue("zh")));
  renameSync(join(dist, `.zh-${process.pid}`), join(dist, "zh.json"));
  const contents = `
    const english = ${JSON.stringify(JSON.stringify(catalogue("en")))};
    let en, zh;
    export const catalogue = (lang) =>
      lang === "zh" ? (zh ??= JSON.parse(HAIRPIN_BESIDE("zh.json"))) : (en ??= JSON.parse(english));`;
  return {
    name: "texts on demand",
    setup: ({ onLoad }) => onLoad({ filter: /\/messages\/catalogues\.ts$/ }, () => ({ contents, loader: "js" })),
  };
}

/** Parts of Node that few commands use are read when one does: `module.name`, as the bundler writes every use of an import. */
const ON_DEMAND =
  "child_process|crypto|fs/promises|http|net|os|stream|timers/promises|tty|util|worker_threads|zlib|vm|module";
const onDemand = (text) => text.replace(new RegExp(`=require\\("node:(${ON_DEMAND})"\\)`, "g"), '=onDemand("node:$1")');
const ON_DEMAND_BANNER =
  "function onDemand(name){return new Proxy({},{get:(_,key)=>require(name)[key],has:(_,key)=>key in require(name)})}";

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
    HAIRPIN_REPORT_ASSETS: JSON.stringify(JSON.stringify(await reportAssets())),
    HAIRPIN_COLLECT_SCRIPT: JSON.stringify(readFileSync(join(root, "packages/collect/src/collect.sh"), "utf8")),
    HAIRPIN_WORDS: JSON.stringify(await knownWords()),
    "import.meta.url": "__url",
  },
  banner: { js: `(function (require, __url, HAIRPIN_BESIDE, HAIRPIN_EXECUTABLE) {${ON_DEMAND_BANNER}` },
  footer: { js: "})" },
  plugins: [await textsOnDemand()],
  change: onDemand,
});
// The server of agents, which only `hairpin mcp` reads: the protocol's SDK is as large as a third of the rest.
const mcp = await bundle("mcp/src/index.ts", "mcp.cjs", {
  format: "cjs",
  banner: { js: "(function (require, module) {" },
  footer: { js: "})" },
});
// A module would have Node read its loader of modules first, and each of its own parts whole, to find what it exports.
const boot = await bundle("cli/src/boot.ts", "hairpin.cjs", {
  format: "cjs",
  define: {
    HAIRPIN_PROGRAM: JSON.stringify(digest(readFileSync(join(dist, "program.cjs")))),
    "import.meta.url": "__url",
  },
  banner: { js: '#!/usr/bin/env node\nconst __url=require("node:url").pathToFileURL(__filename).href;' },
});
writeFileSync(join(dist, "hairpin.mjs"), '#!/usr/bin/env node\nimport "./hairpin.cjs";\n');
const inputs = [...program, ...mcp, ...boot, ...(await pageInputs())].map((path) => join(root, path));
writeFileSync(join(dist, "THIRD-PARTY-NOTICES.txt"), noticesOf(inputs));

// One answer now, so that what it takes is compiled for every later call. Without it the first call does the same.
spawnSync(process.execPath, [join(dist, "hairpin.cjs"), "diagnose", join(root, "cases/hairpin-mode-off"), "--json"], {
  stdio: "ignore",
});
