import { shopInput } from "@hairpin/testing/iptables/shop.ts";
import { Namespace, whyNoTools } from "@hairpin/testing/iptables/tools.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NEWEST_MODELLED, OLDEST_MODELLED, programme } from "../../packages/core/src/kubernetes/index.ts";
import type { Family } from "../../packages/core/src/net/index.ts";
import { printTables } from "../../packages/core/src/parse/iptables/index.ts";

if (whyNoTools !== undefined) console.warn(`SKIPPED: kube-proxy's rules on a real kernel: ${whyNoTools}`);

const releases = Array.from(
  { length: NEWEST_MODELLED.minor - OLDEST_MODELLED.minor + 1 },
  (_, i) => `1.${OLDEST_MODELLED.minor + i}.9`,
);

/** Rules by chain; counters, remarks and the order in which tables and chains are printed aside. */
function contents(save: string): Readonly<Record<string, readonly string[]>> {
  const chains: Record<string, string[]> = {};
  let table = "";
  for (const line of save.split("\n")) {
    const [word = "", chain = ""] = line.split(" ");
    if (line.startsWith("*")) table = line;
    else if (line.startsWith(":")) chains[`${table} ${word.slice(1)} ${chain}`] = [];
    else if (line.startsWith("-A")) (chains[`${table} ${chain} -`] ?? chains[`${table} ${chain} ACCEPT`])!.push(line);
  }
  return chains;
}

describe.skipIf(whyNoTools !== undefined).each(["legacy", "nft"])(
  "rules of the model on the real %s tools",
  (backend) => {
    let space: Namespace;
    beforeAll(() => {
      space = new Namespace();
    });
    afterAll(() => space.remove());

    test.each(releases)("kube-proxy %s: loaded, listed, the same", (version) => {
      const made = programme(shopInput(version));
      if (made.kind !== "programmed") throw new Error(made.mode);
      for (const { family, tables } of made.families) {
        const tool = (what: string) => `${family === 4 ? "iptables" : "ip6tables"}-${backend}-${what}`;
        const text = printTables(tables);
        const loaded = space.run(tool("restore"), [], text);
        expect(loaded.stderr, `IPv${family}`).toBe("");
        expect(contents(space.run(tool("save"), []).stdout)).toEqual(contents(text));
      }
    });
  },
);

/** Of a family that no proxier was made for, nothing is claimed. */
test("before dual stack only the family of the node is programmed", () => {
  const families = (version: string): readonly Family[] => {
    const made = programme(shopInput(version));
    return made.kind === "programmed" ? made.families.map((f) => f.family) : [];
  };
  expect(families("1.20.15")).toEqual([4]);
  expect(families("1.21.0")).toEqual([4, 6]);
});
