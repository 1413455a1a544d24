import type { NftTable } from "@hairpin/core/model/index.ts";
import { sourceOf } from "@hairpin/core/parse/index.ts";
import { readRuleset } from "@hairpin/core/parse/nft/index.ts";
import { nftInput, nftName, words } from "./gate.ts";
import { Trouble } from "./item.ts";
import { runTool } from "./tool.ts";

/** One table as the kernel has it now, with handles; undefined: there is none of that name. */
export function readNftTable(family: string, name: string): NftTable | undefined {
  const { ok, out, err, complaint } = runTool("nft", words`-a list table ${nftName(family)} ${nftName(name)}`);
  if (!ok && /No such file or directory/.test(err)) return undefined;
  if (!ok) throw new Trouble(complaint);
  return readRuleset(sourceOf("nft", out)).tables.find((t) => t.family === family && t.name === name);
}

/** Several commands in one transaction: all of them or none. */
export function changeNft(lines: readonly string[]): void {
  const { ok, complaint } = runTool("nft", words`-f -`, { input: nftInput(lines) });
  if (!ok) throw new Trouble(complaint);
}
