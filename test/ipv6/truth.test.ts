import { existsSync, readdirSync } from "node:fs";
import { haveReference, referencePath } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { isIpv6, notRight } from "./truth.ts";

const CORPORA = [
  { corpus: "ipv6-truth", wanted: () => true },
  { corpus: "nft-truth", wanted: isIpv6 },
] as const;

/**
 * Worlds with IPv6 that a real kernel was asked about. The lists in `open/` name every flow of which the walk does not say what the
 * kernel did; they must shrink: one that has become right fails, as does one that is no longer.
 */
describe.skipIf(!haveReference)("IPv6 ends as in the kernel", () => {
  test.each(CORPORA)("$corpus", { timeout: 600_000 }, async ({ corpus, wanted }) => {
    const folder = referencePath(corpus, "worlds");
    const worlds = existsSync(folder) ? readdirSync(folder).sort() : [];
    const found = worlds.map((world) => notRight(corpus, world, wanted));
    const asked = found.reduce((sum, f) => sum + f.asked, 0);
    const open = found.flatMap((f) => f.open);
    console.log(`${corpus}: ${worlds.length} Worlds, ${asked} flows, ${asked - open.length} right`);
    await expect(`${open.join("\n")}\n`).toMatchFileSnapshot(`open/${corpus}.txt`);
  });
});
