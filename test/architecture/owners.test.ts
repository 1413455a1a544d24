import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/**
 * Whose chains, sets, rules and devices are is known in one place, `model/owners`: everybody else asks it, and has names from it. Only
 * `messages` spells them for people, the soak's generator for the kernel, and the anonymiser, which must let them stand.
 */
const HOMES = /^(?:core\/src\/(?:model\/owners|messages)\/|lab\/src\/soak\/generate\/|collect\/src\/anonymise\/)/;
const NAMES =
  /KUBE-[A-Z\d]|KUBE-"|\bcali-|\bcali"|FLANNEL-|CILIUM_|WEAVE-|DOCKER-|LIBVIRT_|AWS-SNAT|\bufw-|ISTIO_|"kube-ipvs0"/;

/** Reading what somebody wrote beside a rule: to skip comments is not to read them. */
const COMMENTS = /\bkind === "comment"[^\n]*\.text\b|\bcommentsOf\([^)]*\)\s*\.(?:some|find|join|map|flatMap)/;
const MAY_READ_COMMENTS = /^core\/src\/(?:model\/owners|parse)\//;

const packages = fileURLToPath(new URL("../../packages/", import.meta.url));
const sources = readdirSync(packages, { recursive: true, encoding: "utf8" }).filter(
  (f) =>
    f.includes("/src/") &&
    !f.startsWith("testing/") &&
    /\.tsx?$/.test(f) &&
    !f.endsWith(".test.ts") &&
    !f.includes("node_modules"),
);

/** The lines of code that hold it; comments may speak of it. */
function linesWith(pattern: RegExp, file: string): readonly string[] {
  let inside = false;
  return readFileSync(join(packages, file), "utf8")
    .split("\n")
    .flatMap((line, i) => {
      const comment = inside || /^\s*(?:\/\*|\/\/|\*)/.test(line);
      if (line.includes("/*")) inside = !line.includes("*/");
      else if (line.includes("*/")) inside = false;
      const code = comment ? "" : line.replace(/\s\/\/ .*$/, "");
      return pattern.test(code) ? [`${file}:${i + 1} ${line.trim()}`] : [];
    });
}

test("names of kube-proxy, CNIs and firewalls are known in their home only", () => {
  expect(sources.length).toBeGreaterThan(900);
  const inside = (pattern: RegExp, where: (file: string) => boolean): readonly string[] =>
    sources.filter(where).flatMap((f) => linesWith(pattern, f));
  expect(inside(NAMES, (f) => !HOMES.test(f))).toEqual([]);
  expect(inside(NAMES, (f) => f.startsWith("core/src/model/owners/")).length).toBeGreaterThan(50);
  expect(inside(COMMENTS, (f) => !MAY_READ_COMMENTS.test(f))).toEqual([]);
  expect(inside(COMMENTS, (f) => f.startsWith("core/src/model/owners/")).length).toBeGreaterThan(5);
});
