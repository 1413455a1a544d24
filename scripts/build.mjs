// Bundles the command line into one file, so that it starts fast and needs nothing beside Node.
import { readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const cli = join(root, "packages/cli");
const { version } = JSON.parse(readFileSync(join(cli, "package.json"), "utf8"));
const outfile = join(cli, "dist/hairpin.mjs");
// Written beside and renamed, so that a call meanwhile runs the old bundle or the new one, never half of one.
const fresh = join(cli, `dist/.hairpin-${process.pid}.mjs`);

try {
  await build({
    entryPoints: [join(cli, "src/main.ts")],
    outfile: fresh,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    define: { HAIRPIN_VERSION: JSON.stringify(version) },
    // Dependencies in CommonJS ask for Node's own modules by require.
    banner: {
      js: '#!/usr/bin/env node\nimport { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);',
    },
    logLevel: "warning",
  });
  renameSync(fresh, outfile);
} finally {
  rmSync(fresh, { force: true });
}
