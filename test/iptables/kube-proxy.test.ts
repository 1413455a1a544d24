import { rulesByChain, saveOf, shown } from "@hairpin/testing/iptables/read.ts";
import { haveReference, referenceFiles, referenceJson } from "@hairpin/testing/reference.ts";
import { describe, expect, it } from "vitest";
import { printDocument } from "../../packages/core/src/parse/iptables/index.ts";

interface Case {
  readonly rules: string;
  readonly kernelListing: Readonly<Record<string, string>>;
}

describe.skipIf(!haveReference)("what kube-proxy writes and what the tools print after loading it", () => {
  const files = referenceFiles("kube-proxy", "rules-flows", "iptables").filter((file) => file.endsWith(".json"));
  const cases = files.map((file) => {
    const name = file.slice(file.lastIndexOf("/") + 1);
    return [name, referenceJson<Case>("kube-proxy", "rules-flows", "iptables", name)] as const;
  });

  it("found the cases", () => expect(cases.length).toBe(140));

  it.each(cases)("%s", (_name, { rules, kernelListing }) => {
    const written = saveOf(rules);
    expect(shown(written.diagnostics)).toEqual([]);
    const wanted = rulesByChain(written.tables);
    for (const [tool, listing] of Object.entries(kernelListing)) {
      const read = saveOf(listing);
      expect(shown(read.diagnostics), tool).toEqual([]);
      expect(printDocument(read.document), tool).toBe(listing);
      const loaded = rulesByChain(read.tables);
      for (const [chain, specs] of wanted) expect(loaded.get(chain) ?? [], `${tool} ${chain}`).toEqual(specs);
    }
  });
});
