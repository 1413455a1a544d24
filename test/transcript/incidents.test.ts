import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { haveReference, referenceFiles, referencePath, referenceText } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { check } from "../../packages/core/src/check/index.ts";
import { nameHint } from "../../packages/core/src/parse/case/file-name.ts";
import { allDialects, readCase } from "../../packages/core/src/parse/index.ts";

const incidents = haveReference
  ? readdirSync(referencePath("incidents"), { withFileTypes: true })
      .filter((e) => e.isDirectory())
      .map((e) => e.name)
      .sort()
  : [];
const inputsOf = (incident: string) => {
  const top = `${referencePath("incidents", incident, "dumps")}/`;
  return referenceFiles("incidents", incident, "dumps").map((file) => ({
    path: file.slice(top.length),
    text: referenceText("incidents", incident, "dumps", file.slice(top.length)),
  }));
};

/** Files whose content is not what their name says; judged by hand. */
const MISNAMED: Readonly<Record<string, string>> = {
  "06-duplicate-vtep-mac-cloned-vms/nodes/node/ip-link.txt": "ip addr and ip -d link in one",
  "06-duplicate-vtep-mac-cloned-vms/nodes/other-node/ip-link.txt": "ip addr and ip -d link in one",
  "15-br-netfilter-off-same-node-service/nodes/node/proc-sys-net.before.txt": "a listing of the folder /proc/sys/net",
};

describe.skipIf(!haveReference)("the published incidents", () => {
  test("thirty of them", () => expect(incidents).toHaveLength(30));

  test.each(incidents)("%s: every file is recognised, as what its name says", (incident) => {
    const inputs = inputsOf(incident);
    const { dumps } = readCase(inputs);
    for (const { path } of inputs) {
      const found = dumps.filter((d) => d.file === path).map((d) => d.dialect.id);
      expect(found, path).not.toEqual([]);
      const words = nameHint(path).words;
      if (words === undefined || Object.hasOwn(MISNAMED, `${incident}/${path}`)) continue;
      const expected = allDialects.filter((d) => d.printedBy(words)).map((d) => d.id);
      expect(
        expected.some((id) => found.includes(id)),
        `${basename(path)}: ${found.join()} for ${expected.join()}`,
      ).toBe(true);
    }
  });

  test.each(incidents)("%s: every line of a dump is understood", (incident) => {
    const inputs = inputsOf(incident);
    const report = check(readCase(inputs), inputs);
    expect(report.notUnderstood.map((d) => `${d.file}:${d.line} ${d.message}`)).toEqual([]);
  });

  test.each(incidents)("%s: nothing but remarks and typed commands is passed over", (incident) => {
    const inputs = inputsOf(incident);
    const { passedOver } = readCase(inputs);
    const texts = passedOver.flatMap(({ file, lines }) => {
      const all = inputs.find((i) => i.path === file)?.text.split("\n") ?? [];
      return all.slice(lines[0] - 1, lines[1]).filter((t) => t.trim() !== "");
    });
    const odd = texts.filter((t) => !/^\s*#|^[%$]\s|^\.\.\.$|^\[SNIP!\]$|^\S+@\S+[#$]\s|^% /.test(t));
    expect(odd).toEqual([]);
  });

  test("real dumps contradict each other: ACCEPT by the counters, DROP by -S", () => {
    const found = incidents.flatMap((incident) => {
      const inputs = inputsOf(incident);
      return check(readCase(inputs), inputs).contradictions.map((c) => [
        incident.slice(0, 2),
        c.code,
        ...c.evidence.map((e) => `${basename(e.file)}:${e.line}`),
      ]);
    });
    expect(found).toEqual([["20", "RULE_DIFFERS", "iptables-S.raw.txt:5", "iptables-nvL.raw.txt:5"]]);
  });
});
