import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, it } from "vitest";
import { generateIptablesSave } from "../../../../../../bench/generate-iptables.ts";
import type { IptablesTable } from "../../../model/index.ts";
import { parseAddress } from "../../../net/index.ts";
import { wholeSave } from "./read-lazily.ts";
import { SharedTexts } from "./shared-texts.ts";

const BASE = generateIptablesSave({ services: 40, endpoints: 2 });

const tablesOf = (text: string, file: string, shared?: SharedTexts): readonly IptablesTable[] =>
  wholeSave(text, { large: 0, shared, again: () => text })!
    .read(file, {})
    .facts.flatMap((f) => (f.kind === "iptables" ? f.tables : []));

/** As records, to the ground. */
const plain = (tables: readonly IptablesTable[]): unknown =>
  tables.map(({ name, family, backend, extent, origin, chains }) => [
    [name, family, backend, extent, origin],
    chains.map((c) => [c.name, c.policy, c.counters, c.extent, c.origin, c.rules]),
  ]);

const asked = (tables: readonly IptablesTable[]): unknown =>
  tables.map(({ unread }) => [
    unread!.size,
    ["10.96.0.12", "10.96.0.30", "10.200.0.9", "10.200.0.40", "192.0.2.1"].map((a) => {
      const address = parseAddress(a)!;
      const all = unread!.naming(address);
      if (all.length > 0) expect(unread!.mayName(address)).toBe(true);
      return [all, unread!.naming(address, ["KUBE-SERVICES"])].map((found) => found.map((p) => [p.chain.name, p.rule]));
    }),
    ["service-7:http", "MASQUERADE", "nowhere"].map((t) => unread!.saying(t).map((p) => [p.chain.name, p.rule])),
    unread!.chainsStarting("KUBE-S").map((c) => c.name),
    ["KUBE-SERVICES", "KUBE-OF-B", "KUBE-MARK-MASQ"].map((n) => unread!.chainNamed(n)?.rules),
    unread!.chainNamed("KUBE-SERVICES")?.unread?.placesFor(parseAddress("10.96.0.12")!),
  ]);

/** Two lines of a chain have changed places. */
function reordered(lines: readonly string[], at: number): string[] {
  const services = lines.flatMap((l, i) => (l.startsWith("-A KUBE-SERVICES") ? [i] : []));
  const [one, other] = [services[at % services.length]!, services[(at * 7 + 3) % services.length]!];
  return lines.map((line, i) => (i === one ? lines[other]! : i === other ? lines[one]! : line));
}

/** Another node's: rules that are not there or say something else, a chain more, a chain less, other counters. */
function edited(text: string, edits: readonly { readonly kind: number; readonly at: number }[]): string {
  let lines = text.split("\n");
  for (const { kind, at } of edits) {
    const rules = lines.flatMap((l, i) => (l.startsWith("-A KUBE") ? [i] : []));
    const heads = lines.flatMap((l, i) => (l.startsWith(":KUBE-SEP") ? [i] : []));
    const rule = rules[at % rules.length]!;
    const head = heads[at % heads.length]!;
    if (kind === 0) lines.splice(rule, 1);
    if (kind === 1) lines[rule] = lines[rule]!.replace("http", "https");
    if (kind === 2) lines.splice(rule, 0, lines[rule]!);
    if (kind === 3) lines = lines.map((l) => l.replace(/^(:[A-Z]+ ACCEPT) \[0:0\]$/, `$1 [${at}:${at}]`));
    if (kind === 4 && !lines.includes(":KUBE-OF-B - [0:0]")) {
      lines.splice(head, 0, ":KUBE-OF-B - [0:0]");
      lines.splice(lines.indexOf("COMMIT"), 0, "-A KUBE-OF-B -d 10.96.0.12/32 -j RETURN");
    }
    if (kind === 5) {
      const name = lines[head]!.slice(1, lines[head]!.indexOf(" "));
      lines = lines.filter((l) => !l.includes(name));
    }
    if (kind === 6) lines[0] = lines[0]!.replace("2025", "2026");
    // The order of a Go map.
    if (kind === 8) lines = reordered(lines, at);
    // The order in which another release would have declared them.
    if (kind === 7) lines.splice(head, 2, lines[head + 1]!, lines[head]!);
  }
  return lines.join("\n");
}

describe("a table whose chains another has, too", () => {
  it("reads as it does alone", () => {
    const edits = fc.array(fc.record({ kind: fc.nat(8), at: fc.nat(10_000) }), { maxLength: 6 });
    let own = 0;
    let all = 0;
    fc.assert(
      fc.property(edits, edits, (first, second) => {
        const texts = [BASE, edited(BASE, first), edited(BASE, second), edited(BASE, first)];
        const kept: number[] = [];
        const shared = new SharedTexts((n) => kept.push(n));
        const together = texts.map((text, i) => tablesOf(text, `${i}.txt`, shared));
        for (const [i, text] of texts.entries()) {
          expect(asked(together[i]!)).toEqual(asked(tablesOf(text, `${i}.txt`)));
          expect(plain(together[i]!)).toEqual(plain(tablesOf(text, `${i}.txt`)));
        }
        const isSame = together[1]!.every((t, i) => t.unread!.isSame(together[3]![i]!.unread!));
        expect(isSame).toBe(true);
        own += kept.slice(1).reduce((n, k) => n + k, 0);
        all += texts.slice(1).reduce((n, t) => n + t.length, 0);
      }),
      { numRuns: 40, seed: Number(process.env.HAIRPIN_SEED ?? 20) },
    );
    expect(own).toBeLessThan(all / 3);
  }, 60_000);

  it("has it in common though other packets went by", () => {
    const counted = (n: number) => BASE.replace(/^-A /gm, () => `[${n}:${60 * n}] -A `);
    const kept: number[] = [];
    const shared = new SharedTexts((n) => kept.push(n));
    const [, other] = [7, 1234].map((n, i) => tablesOf(counted(n), `${i}.txt`, shared));
    expect(kept.slice(1).reduce((n, k) => n + k, 0)).toBeLessThan(BASE.length / 100);
    const rulesOf = (tables: readonly IptablesTable[]) => tables.map((t) => t.chains.map((c) => [c.origin, c.rules]));
    expect(rulesOf(other!)).toEqual(rulesOf(tablesOf(BASE, "1.txt")));
  });
});
