import { createHash } from "node:crypto";
import type { CaseInput } from "@hairpin/core/parse/index.ts";
import type { Wanted } from "@hairpin/core/sweep/index.ts";
import { VERSION } from "../version.ts";

/** The same for every shard of one sweep, and for no other: what was read, what was asked for, and by which release. */
export function inputDigest(
  inputs: readonly CaseInput[],
  asked: Wanted & { readonly assume: readonly string[] },
): string {
  const hash = createHash("sha256");
  for (const input of [...inputs].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const { path, bytes, digest } = input;
    const text = digest ?? input.text ?? "";
    hash.update(`${path.length} ${path} ${text.length} ${bytes?.length ?? 0}\n`).update(text);
    if (bytes !== undefined) hash.update(bytes);
  }
  return `sha256:${hash.update(JSON.stringify([asked, VERSION])).digest("hex")}`;
}
