import type { NftTable, Origin } from "../../model/index.ts";
import { sourceOf } from "../source.ts";
import { readUpon } from "./ruleset.ts";

/** The tables after `nft …`, or why nft would refuse it. */
export function applyNft(
  tables: readonly NftTable[],
  command: string,
  origin: Origin,
): { readonly tables: readonly NftTable[] } | { readonly error: string } {
  const { tables: after, diagnostics } = readUpon(sourceOf("nft", command), { tables, origin });
  const [problem] = diagnostics;
  return problem === undefined ? { tables: after } : { error: problem.message };
}
