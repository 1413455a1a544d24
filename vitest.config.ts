import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/*.fuzz.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
});
