import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { applyPatch } from "../../packages/core/src/assemble/index.ts";
import { Askable, diagnose } from "../../packages/core/src/diagnose/index.ts";
import { explain } from "../../packages/core/src/explain/index.ts";
import { LANGS, say } from "../../packages/core/src/messages/index.ts";
import { judge } from "../../packages/core/src/trace/index.ts";

const cases = resolve(import.meta.dirname, "../../cases");

function causesOf(path: string, options: Record<string, string> = {}) {
  return diagnose(new Askable(loadCase([path]), []), options);
}

describe("bundled cases", () => {
  test("NAT_PORT_REWRITE: with the address off kube-ipvs0 the handshake passes, and data do not", () => {
    const askable = new Askable(loadCase([join(cases, "vm-behind-bridge-masqueraded")]), []);
    const { world } = applyPatch(askable.world, ["hv-1: ip addr del 10.40.30.200/32 dev kube-ipvs0"]);
    const { question, exploration } = askable.ask({}, world);
    const causes = question === undefined ? [] : explain(question, exploration, judge(exploration));
    expect(causes.map((c) => c.code)).toContain("NAT_PORT_REWRITE");
  });

  test("where one change cures it all, nothing is looked for behind the other", () => {
    const { causes } = causesOf(join(cases, "vm-behind-bridge-masqueraded"));
    expect(causes.map((c) => c.code)).not.toContain("NAT_PORT_REWRITE");
  });

  test("LB_LOOPBACK is the root, the martian source the place of death", () => {
    const { causes } = causesOf(join(cases, "lb-loops-back"));
    expect(causes.map((c) => c.code).slice(0, 2)).toEqual(["LB_LOOPBACK", "MARTIAN_LOCAL_SOURCE"]);
  });

  test.each(readdirSync(cases))("%s: the causes it expects are found", (name) => {
    const folder = join(cases, name);
    const expected = loadCase([folder]).caseFile?.expect?.causes ?? [];
    const { causes } = causesOf(folder);
    expect(expected.filter((code) => !causes.some((c) => c.code === code))).toEqual([]);
    for (const c of causes) for (const lang of LANGS) expect(say(c.summary, lang).length).toBeGreaterThan(8);
  });
});
