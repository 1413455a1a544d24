import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { engineFor } from "./engine.ts";
import { pastedInputs } from "./pasted.ts";
import { rootsOf } from "./within.ts";

const CASE = resolve(import.meta.dirname, "../../../../cases/hairpin-mode-off");
let top = "";
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "hairpin-engine-"));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const ROUTES = "default via 10.0.0.1 dev eth0\n";

test("the topology a case starts from counts only where it lies under a root as well", () => {
  mkdirSync(join(top, "topologies/pair/nodes/a"), { recursive: true });
  writeFileSync(join(top, "topologies/pair/case.yaml"), "stacks:\n  - { name: a, kind: node, dumps: nodes/a }\n");
  writeFileSync(join(top, "topologies/pair/nodes/a/ip-route.txt"), ROUTES);
  mkdirSync(join(top, "one"));
  writeFileSync(join(top, "one/case.yaml"), "base: pair\n");
  const asked = (root: string, path: string) => engineFor(rootsOf([root])).check({ paths: [path], pasted: [] });
  expect(asked(top, "one")).toMatchObject({ ok: true, value: { nodes: ["a"] } });
  expect(asked(join(top, "one"), ".")).toMatchObject({ ok: false, message: expect.stringContaining("base pair") });
});

test("a root that is a link counts as where it leads; what leads out of it does not", () => {
  cpSync(CASE, join(top, "real/case"), { recursive: true });
  symlinkSync(join(top, "real"), join(top, "link"));
  symlinkSync("/", join(top, "real/out"));
  const engine = engineFor(rootsOf([join(top, "link")]));
  const ask = (path: string) => engine.check({ paths: [path], pasted: [] }).ok;
  expect([ask("case"), ask(join(top, "link/case")), ask(join(top, "real/case"))]).toEqual([true, true, true]);
  expect([ask("out"), ask("out/etc"), ask("case/../../"), ask("/etc/passwd"), ask("-")]).toEqual(Array(5).fill(false));
});

test("what was pasted is that of its node, or of its pod", () => {
  cpSync(CASE, join(top, "case"), { recursive: true });
  const file = join(top, "case/nodes/node-a/pods/default/web-1/ip-route.txt");
  const output = readFileSync(file, "utf8");
  rmSync(file);
  const engine = engineFor(rootsOf([top]));
  const shown = (node: string) => {
    const answer = engine.check({ paths: ["case"], pasted: [{ node, command: "ip route", output }] });
    return answer.ok
      ? answer.value.dumps.filter((d) => d.file.includes("pasted")).map((d) => [d.node, d.stack, d.dialect])
      : [];
  };
  expect(shown("default/web-1")).toEqual([["node-a", "default/web-1", "ip-route"]]);
  expect(shown("node-a")).toEqual([["node-a", "node-a", "ip-route"]]);
});

test.each(["../a", "a/b/c", "", "a b", "a\nb", "-x"])("%j is no node's name", (node) => {
  expect(() => pastedInputs([{ command: "id", output: "", node }])).toThrow("is not the name of a node");
});

test("a command of several lines is one line, so that none of it is taken for another's output", () => {
  const [input] = pastedInputs([{ command: "id\n# ip route", output: "x", node: "a" }]);
  expect(input?.text?.split("\n")[0]).toBe("$ id·# ip route");
});
