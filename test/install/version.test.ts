import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

test("one version number for all packages", () => {
  const versions = readdirSync(join(root, "packages")).map((name) => {
    const manifest = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")) as {
      version: string;
      devDependencies?: Record<string, string>;
    };
    const named = Object.entries(manifest.devDependencies ?? {}).flatMap(([dep, v]) =>
      dep.startsWith("@hairpin/") ? [v] : [],
    );
    return [manifest.version, ...named];
  });
  expect(new Set(versions.flat())).toEqual(new Set(["0.1.0"]));
});
