import { existsSync, readdirSync } from "node:fs";
import { haveReference, referenceJson, referencePath } from "@hairpin/testing/reference.ts";
import { afterAll, describe, expect, test } from "vitest";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Askable } from "../../packages/core/src/diagnose/index.ts";
import { judge } from "../../packages/core/src/trace/index.ts";

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
/**
 * The servers of these Worlds answer from the address they were asked at (IP_PKTINFO), which no dump says of a socket bound to the
 * wildcard.
 */
const SERVERS = "the asked";

const isIpv4 = (flow: Flow): boolean => !flow.to.startsWith("[");

/** Random Worlds with native nft rules, each asked of a real kernel: the walk says what the kernel did. */
describe.skipIf(!haveReference)("nft rules end as in the kernel", () => {
  let asked = 0;
  afterAll(() => console.log(`${worlds.length} Worlds, ${asked} IPv4 flows`));

  test.each(worlds)("World %s", (world) => {
    const flows = referenceJson<readonly Flow[]>("nft-truth", "worlds", world, "flows.json").filter(isIpv4);
    const loaded = loadCase([referencePath("nft-truth", "worlds", world, "dumps")]);
    const ports = new Set(flows.filter((f) => f.proto === "udp").map((f) => f.to.split(":")[1]!));
    const stacks = (loaded.caseFile?.stacks ?? []).map((s) => s.name);
    const settled = stacks.flatMap((s) => [...ports].map((port) => `${s}/datagram-source/udp/${port}=${SERVERS}`));
    const askable = new Askable(loaded, settled);
    const verdict = ({ from, to, proto }: Flow) =>
      judge(askable.ask({ from: `stack/${from.stack}`, to, proto }).exploration).verdict;
    asked += flows.length;
    expect(flows.map((f) => `${f.id} ${verdict(f)}`)).toEqual(flows.map((f) => `${f.id} ${VERDICTS[f.verdict]}`));
  });
});
