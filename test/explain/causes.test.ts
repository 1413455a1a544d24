import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Askable, diagnose } from "../../packages/core/src/diagnose/index.ts";
import { LANGS, say } from "../../packages/core/src/messages/index.ts";

const cases = resolve(import.meta.dirname, "../../cases");

function causesOf(path: string, options: Record<string, string> = {}) {
  return diagnose(new Askable(loadCase([path]), []), options);
}

describe("bundled cases", () => {
  test("the second fault behind the first is found: NAT_PORT_REWRITE once the address is off kube-ipvs0", () => {
    const { causes } = causesOf(join(cases, "vm-behind-bridge-masqueraded"));
    expect(causes.map((c) => `${c.code} ${c.certainty}`).slice(0, 3)).toEqual([
      "MASQ_TOO_MUCH proven",
      "MARTIAN_LOCAL_SOURCE inferred",
      "NAT_PORT_REWRITE inferred",
    ]);
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
