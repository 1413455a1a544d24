import { existsSync, readdirSync } from "node:fs";
import { haveReference, referenceJson, referencePath } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { loadedCase } from "../../packages/case/src/index.ts";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Askable, verdictOf } from "../../packages/core/src/diagnose/index.ts";

interface Flow {
  readonly id: string;
  readonly from: { readonly stack: string };
  readonly to: string;
  readonly proto: string;
  readonly verdict: "works" | "fails" | "intermittent";
}

/** Every how manieth World is asked, once for every damage. */
const EVERY = 4;
const LISTING = "nft-list-ruleset.txt";

/** `elements = { … }` of named sets, over as many lines as they take. */
const elementless = (text: string): string => text.replace(/^\t\telements = \{[^}]*\}\n/gm, "");
const tablesOf = (text: string): readonly string[] => text.split(/^(?=table )/m).filter((t) => t.startsWith("table "));

/** What a listing may lose on its way to whoever asks: with the words that say so, where there are any. */
const DAMAGES: Readonly<Record<string, (text: string) => string>> = {
  "nobody listed the rules": () => "",
  // Between two tables nothing would tell that it was cut.
  "the first half": (text) => {
    const lines = text.split("\n");
    const half = lines.slice(0, Math.ceil(lines.length / 2));
    while (half.length > 0 && !half.at(-1)!.startsWith("\t")) half.pop();
    return half.join("\n");
  },
  "all but the last three lines": (text) => text.trimEnd().split("\n").slice(0, -3).join("\n"),
  "nft -t": (text) => `$ nft -t list ruleset\n${elementless(text)}`,
  "the first table": (text) => {
    const [first = ""] = tablesOf(text);
    const name = /^table (\S+ \S+)/.exec(first)?.[1] ?? "";
    return `$ nft list table ${name}\n${first}`;
  },
  "nft list ruleset ip": (text) =>
    `$ nft list ruleset ip\n${tablesOf(text)
      .filter((t) => t.startsWith("table ip "))
      .join("")}`,
  "nft list chains": (text) =>
    `$ nft list chains\n${text.replace(/^(\tchain [^\n]*\{\n)((?:\t\ttype [^\n]*\n)?)(?:(?!^\t\})[^\n]*\n)*\t\}\n/gm, "$1$2\t}\n")}`,
};

/** What nobody showed is no reason to call a flow reachable that a real kernel lost. */
describe.skipIf(!haveReference)("a World with nft rules of which only a part was listed", () => {
  const folder = referencePath("nft-truth", "worlds");
  const worlds = existsSync(folder) ? readdirSync(folder).sort() : [];
  test.each(worlds.filter((_, i) => i % EVERY === 0))("%s: nothing lost turns green", { timeout: 300_000 }, (world) => {
    const { inputs } = loadCase([referencePath("nft-truth", "worlds", world, "dumps")]);
    const stated = inputs.find((i) => i.path === "case.yaml");
    const lost = referenceJson<readonly Flow[]>("nft-truth", "worlds", world, "flows.json").filter(
      (f) => f.verdict === "fails",
    );
    const green = Object.entries(DAMAGES).flatMap(([damage, harm]) => {
      const left = inputs.flatMap((i) => {
        if (!i.path.endsWith(LISTING)) return [i];
        const text = harm(i.text ?? "");
        return text === "" ? [] : [{ ...i, text }];
      });
      const askable = new Askable(loadedCase({ inputs: left, stated, notes: [] }), []);
      return lost.flatMap(({ id, from, to, proto }) => {
        const { verdict } = verdictOf(askable, { from: `stack/${from.stack}`, to, proto });
        return verdict.verdict === "reachable" ? [`${id}: ${damage}`] : [];
      });
    });
    expect(green).toEqual([]);
  });
});
