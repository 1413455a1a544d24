import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/**
 * Whose chains, sets and rules are is known in one place, `model/owners`. Others may spell such names: `kubernetes` and the soak's
 * generator, which make them, `assemble/kube-proxy`, which fills in what kube-proxy would have made, `parse`, which reads texts,
 * `messages`, and the anonymiser, which must let them stand.
 */
const HOMES =
  /^(?:core\/src\/(?:model\/owners|kubernetes|parse|messages|assemble\/kube-proxy)\/|lab\/src\/soak\/generate\/|collect\/src\/anonymise\/)/;
const NAMES = /KUBE-|\bcali-|FLANNEL-|CILIUM_|WEAVE-|DOCKER-|\bufw-|ISTIO_/;

const packages = fileURLToPath(new URL("../../packages/", import.meta.url));
const sources = readdirSync(packages, { recursive: true, encoding: "utf8" }).filter(
  (f) =>
    f.includes("/src/") &&
    !f.startsWith("testing/") &&
    /\.tsx?$/.test(f) &&
    !f.endsWith(".test.ts") &&
    !f.includes("node_modules"),
);

/** The lines of code that hold such a name; comments may speak of them. */
function namesIn(file: string): readonly string[] {
  let inside = false;
  return readFileSync(join(packages, file), "utf8")
    .split("\n")
    .flatMap((line, i) => {
      const comment = inside || /^\s*(?:\/\*|\/\/|\*)/.test(line);
      if (line.includes("/*")) inside = !line.includes("*/");
      else if (line.includes("*/")) inside = false;
      const code = comment ? "" : line.replace(/\s\/\/ .*$/, "");
      return NAMES.test(code) ? [`${file}:${i + 1} ${line.trim()}`] : [];
    });
}

test("names of kube-proxy, CNIs and firewalls are known in their home only", () => {
  expect(sources.length).toBeGreaterThan(900);
  expect(sources.filter((f) => !HOMES.test(f)).flatMap(namesIn)).toEqual([]);
  expect(sources.filter((f) => f.startsWith("core/src/model/owners/")).flatMap(namesIn).length).toBeGreaterThan(20);
});
