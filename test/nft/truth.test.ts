import { existsSync, readdirSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Askable } from "../../packages/core/src/diagnose/index.ts";
import { judge } from "../../packages/core/src/trace/index.ts";
import { haveReference, referenceJson, referencePath } from "../reference.ts";

interface Flow {
  readonly id: string;
  readonly from: { readonly stack: string };
  readonly to: string;
  readonly proto: string;
  readonly verdict: "works" | "fails" | "intermittent";
}

const VERDICTS = { works: "reachable", fails: "unreachable", intermittent: "intermittent" } as const;
const folder = referencePath("nft-truth", "worlds");
const worlds = haveReference && existsSync(folder) ? readdirSync(folder).sort() : [];
const isIpv4 = (flow: Flow): boolean => !flow.to.startsWith("[");

/** Random Worlds with native nft rules, each asked of a real kernel: the walk says what the kernel did. */
describe.skipIf(!haveReference)("nft rules end as in the kernel", () => {
  let asked = 0;
  afterAll(() => console.log(`${worlds.length} Worlds, ${asked} IPv4 flows`));

  test.each(worlds)("World %s", (world) => {
    const flows = referenceJson<readonly Flow[]>("nft-truth", "worlds", world, "flows.json").filter(isIpv4);
    const askable = new Askable(loadCase([referencePath("nft-truth", "worlds", world, "dumps")]), []);
    const verdict = ({ from, to, proto }: Flow) =>
      judge(askable.ask({ from: `stack/${from.stack}`, to, proto }).exploration).verdict;
    asked += flows.length;
    expect(flows.map((f) => `${f.id} ${verdict(f)}`)).toEqual(flows.map((f) => `${f.id} ${VERDICTS[f.verdict]}`));
  });
});
