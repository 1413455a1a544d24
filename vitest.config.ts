import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/*.fuzz.test.ts"],
    // Much of it waits for a kernel, a VM or a browser: a third worker uses the time, on two cores too.
    maxWorkers: 3,
    // A hang is found all the same; what a loaded machine takes is no failure.
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
