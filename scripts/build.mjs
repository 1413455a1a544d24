// Bundles the command line into one file, so that it starts fast and needs nothing beside Node.
import { build } from "esbuild";

await build({
  entryPoints: ["packages/cli/src/main.ts"],
  outfile: "packages/cli/dist/hairpin.mjs",
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  minifySyntax: true,
  legalComments: "none",
  banner: {
    js: '#!/usr/bin/env node\nimport { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);',
  },
  logLevel: "warning",
});
