import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { against } from "./against.ts";
import { bundled } from "./bundled.ts";
import { cpuOf } from "./cpu-of.ts";
import { generateNft } from "./generate-nft.ts";

interface Child {
  readonly read: number;
  readonly whole: number;
  readonly peakMegabytes: number;
  readonly chains: number;
  readonly counts?: Readonly<Record<string, number>>;
  readonly said?: number;
}

const SERVICES = 10_000;
const ENDPOINTS = 3;
const leastOf = (numbers: readonly number[]): number => Math.min(...numbers);

/** Reading a large ruleset against `nft -c -f` of the same, in a network namespace of its own: time of the processor, all threads. */
export async function benchNft(rounds = 3): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-bench-"));
  try {
    const text = generateNft({ services: SERVICES, endpoints: ENDPOINTS });
    const file = join(folder, "ruleset.nft");
    writeFileSync(file, text);
    console.log(
      `nftables ruleset of 10,000 Services × 3 endpoints: ${text.split("\n").length - 1} lines, ${(text.length / 1e6).toFixed(1)} MB`,
    );
    const lazy = await bundled<Child>(
      "nft-child.ts",
      Array.from({ length: rounds }, () => [file]),
    );
    const [all] = await bundled<Child>("nft-child.ts", [[file, "all"]]);
    // Half a minute, nearly all of it the kernel's: once is enough.
    const theirs = cpuOf("unshare", ["-n", "nft", "-c", "-f", file]);
    const row = against("nft -c -f", theirs, 0);
    row("read: its chains and sets, and where they are", leastOf(lazy.map((c) => c.read)));
    row("the same from process start", leastOf(lazy.map((c) => c.whole)));
    row("every rule and element, and what there is to say", all!.read);
    console.log(
      `  peak memory ${leastOf(lazy.map((c) => c.peakMegabytes)).toFixed(0)} MB; with everything read ${all!.peakMegabytes.toFixed(0)} MB`,
    );
    const { counts = {}, said } = all!;
    const rules = SERVICES * (2 + 2 * ENDPOINTS) + 4;
    if (said !== 0 || counts.rules !== rules || counts.elements !== 2 * SERVICES || lazy[0]!.chains !== counts.chains)
      throw new Error("the ruleset was not read as it should be");
    if (typeof theirs === "number" && all!.whole > theirs) throw new Error("slower than nft");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
