import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { haveReference, referenceFiles } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { programmeNftables, viewOf } from "../../packages/core/src/kubernetes/index.ts";
import type { NftTable } from "../../packages/core/src/model/index.ts";
import { printNftRule, readRuleset } from "../../packages/core/src/parse/nft/index.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";
import { familyOfCase, inputOf, type RecordedCase } from "./iptables-input.ts";

/** The gate of 1.37 that serves NodePorts of localhost from userspace is not modelled. */
const LOCALHOST = /localhost-nodeport/;

/** Everything of a table as lines: chains with their hooks and rules in order, sets with their elements in any. */
function linesOf(table: NftTable): readonly string[] {
  const chains = table.chains.flatMap((c) => [
    // A chain that the run before left empty says nothing.
    ...(c.base === undefined ? [] : [`chain ${c.name} ${JSON.stringify(c.base)}`]),
    ...c.rules.map((r, i) => `${c.name} ${i}: ${printNftRule(r)}`),
  ]);
  const sets = table.sets.flatMap((s) => {
    const { name, kind, key, data, flags, timeout } = s;
    const head = `${kind} ${name} ${JSON.stringify([key, data ?? null, [...flags].sort(), timeout ?? null])}`;
    return [
      head,
      ...s.elements.map((e) => `${name} has ${JSON.stringify([e.key, e.data ?? null, e.comment ?? null])}`),
    ];
  });
  return [...chains, ...sets].filter((line) => !LOCALHOST.test(line)).sort();
}

const files = referenceFiles("kube-proxy", "objects-rules", "nftables");

describe.skipIf(!haveReference)("kube-proxy's nft rules from objects are those it wrote", () => {
  test.each(files.map((f) => [basename(f, ".json"), f]))("%s", (_, file) => {
    const c = JSON.parse(readFileSync(file, "utf8")) as RecordedCase;
    const [recorded] = readRuleset(sourceOf("recorded", c.rules!)).tables;
    for (const version of c.versions) {
      const [modelled] = programmeNftables(viewOf(inputOf(c, version), familyOfCase(c))).nft!;
      expect(linesOf(modelled!), version).toEqual(linesOf(recorded!));
    }
  });
});
