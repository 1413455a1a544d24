import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { haveReference } from "@hairpin/testing/reference.ts";
import { worldOf } from "@hairpin/testing/world.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { expectedWorld } from "../../packages/core/src/assemble/index.ts";
import { compare, differs } from "../../packages/core/src/compare/index.ts";
import { hairpin } from "../check/surface.ts";
import { caseFolder, objectCases } from "../kube-proxy/objects-harness.ts";
import { Recorded } from "./recorded-state.ts";

const cases = resolve(import.meta.dirname, "../../cases");

describe("diff --expected: objects against what is programmed", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hairpin-expected-"));
    cpSync(join(cases, "nodeport-local-policy"), folder, { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const rules = (node: string): string => join(folder, `nodes/${node}/iptables-save.txt`);
  const edit = (file: string, change: (text: string) => string): void => {
    const before = readFileSync(file, "utf8");
    const after = change(before);
    expect(after).not.toBe(before);
    writeFileSync(file, after);
  };
  const diff = async () => hairpin("diff", folder, "--expected");

  test("a node that is as kube-proxy writes it is no difference", async () => {
    expect(await diff()).toMatchObject({ status: 0, err: "" });
  });

  test("an endpoint that the objects do not have is shown by a packet, with both lines", async () => {
    edit(rules("pool-a"), (t) => t.replace(/--to-destination [\d.]+:/, "--to-destination 10.99.99.9:"));
    const { status, out } = await diff();
    expect(status).toBe(1);
    expect(out).toContain("1 difference in meaning");
    expect(out).toMatch(/\+ nodes\/pool-a\/iptables-save\.txt:\d+: .*10\.99\.99\.9/);
    expect(out).toMatch(/- kubectl-get\S+\.yaml:\d+:/);
  });

  test("a masquerade that is missing is shown; a remark that differs is not", async () => {
    edit(rules("pool-b"), (t) => t.replace(/--comment "mail\/imap:imaps"/g, '--comment "renamed"'));
    expect((await diff()).status).toBe(0);
    edit(rules("pool-b"), (t) => t.replace(/^-A KUBE-POSTROUTING .*MASQUERADE.*\n/m, ""));
    expect((await diff()).status).toBe(1);
  });

  test("rules of others stay others' rules", async () => {
    edit(rules("pool-a"), (t) =>
      t.replace("*filter\n", "*filter\n").replace(/(:FORWARD ACCEPT.*\n)/, "$1:MINE - [0:0]\n"),
    );
    edit(rules("pool-a"), (t) => t.replace(/^(-A FORWARD .*\n)/m, "$1-A FORWARD -j MINE\n"));
    expect((await diff()).status).toBe(0);
  });

  test("without objects there is nothing to expect", async () => {
    const { status, err } = await hairpin("diff", join(cases, "hairpin-mode-off"), "--expected");
    expect(status).toBe(64);
    expect(err).toMatch(/no Service was shown/);
  });
});

const recorded = haveReference ? objectCases("objects-rules", "iptables").filter((_, i) => i % 4 === 0) : [];
test.skipIf(!haveReference)(
  "recorded nodes are as they are expected to be",
  () => {
    const loud = recorded.flatMap((c) => {
      const files: Record<string, string> = { ...caseFolder(c, { version: c.versions.at(-1)! }) };
      for (const [name, text] of Object.entries(new Recorded(c, c.versions.at(-1)!).state)) {
        if (text.length > 40_000) return [];
        files[`nodes/${c.nodeName}/${name}`] = text;
      }
      const world = worldOf(files);
      const expected = expectedWorld(world);
      // Services without a single rule of their own.
      if ("id" in expected) return [];
      return differs(compare({ world: expected }, { world }, [{ a: c.nodeName, b: c.nodeName }], { sameNode: true }))
        ? [c.name]
        : [];
    });
    expect(loud).toEqual([]);
  },
  60_000,
);
