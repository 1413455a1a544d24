import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printRuleset, readRuleset } from "@hairpin/core/parse/nft/index.ts";
import { sourceOf } from "@hairpin/core/parse/source.ts";
import { haveReference, referenceJson } from "@hairpin/testing/reference.ts";
import { expect, test } from "vitest";

interface Row {
  readonly name: string;
  readonly listed?: string;
}

const DECLARES = /^\t(?:set|map) |\bmeter /m;

/** Checks files in a namespace of its own; prints the numbers of those that nft takes. */
const CHECK = `ip link set lo up
for d in eth0 eth1 wan lan; do ip link add $d type veth peer name p_$d; done
for f in *.nft; do nft -c -f $f >/dev/null 2>&1 && echo $f; done; :`;

function taken(texts: readonly string[]): ReadonlySet<number> {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-printed-"));
  try {
    for (const [i, text] of texts.entries()) writeFileSync(join(folder, `${i}.nft`), text);
    const said = execFileSync("unshare", ["-n", "sh", "-c", CHECK], { cwd: folder, encoding: "utf8" });
    return new Set(
      said
        .trim()
        .split("\n")
        .map((name) => Number.parseInt(name, 10)),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function canCheck(): boolean {
  try {
    execFileSync("unshare", ["-n", "nft", "list", "ruleset"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

test.skipIf(!haveReference || !canCheck())(
  "what nft loads as it lists it, it loads as Hairpin prints it",
  { timeout: 300_000 },
  () => {
    // Every one with a set of its own, and of the others every fifth: nft takes its time.
    const rows = referenceJson<readonly Row[]>("corpora", "nft-rulesets.json").flatMap((r, i) =>
      typeof r.listed === "string" && (DECLARES.test(r.listed) || i % 5 === 0)
        ? [{ name: r.name, listed: r.listed }]
        : [],
    );
    const loads = taken(rows.map((r) => r.listed));
    const again = taken(rows.map((r) => printRuleset(readRuleset(sourceOf(r.name, r.listed)).tables)));
    console.log(`${rows.length} rulesets, ${loads.size} load as listed, ${again.size} as printed`);
    expect(loads.size).toBeGreaterThan(150);
    expect(rows.filter((_, i) => loads.has(i) && !again.has(i)).map((r) => r.name)).toEqual([]);
  },
);
