import { defineConfig } from "vitest/config";

/** `npm run fuzz`: the long runs, with fresh seeds. HAIRPIN_FUZZ_SECONDS says for how long each file goes on. */
export default defineConfig({
  test: { include: ["packages/*/src/**/*.fuzz.test.ts", "test/**/*.fuzz.test.ts"], testTimeout: 3_600_000 },
});
