import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { anonymiser } from "../../packages/collect/src/anonymise/index.ts";
import { keyed } from "../../packages/collect/src/anonymise/keyed.ts";
import { bundledCases } from "../cases/bundled.ts";
import { hairpin } from "../check/surface.ts";

const top = mkdtempSync(join(tmpdir(), "a-anonymised-"));
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** What depends on the order of names or the length of texts is no part of an answer. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : value !== null && typeof value === "object"
      ? Object.fromEntries(
          Object.entries(value)
            .map(([k, v]) => [k, sorted(v)] as const)
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : value;

/** Addresses that stand for somebody of whom nothing was shown: Hairpin's own, not the bundle's. */
const MADE_UP = ["203.0.113.77", "198.51.100.77", "192.0.2.77", "198.18.0.1"];

/** MACs that no file has are made of the addresses of hosts nobody showed. */
const withoutMadeUp = (text: string, files: readonly string[]): string =>
  text.replace(/\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b/g, (mac) => (files.some((f) => f.includes(mac)) ? mac : "@mac@"));

describe("the diagnosis of an anonymised case is the same but for names", () => {
  test.each(bundledCases().map((c) => [c.name, c] as const))("%s", async (name, { path, loaded }) => {
    const files = loaded.inputs.flatMap((i) => (i.text === undefined ? [] : [{ path: i.path, text: i.text }]));
    const change = anonymiser(files, keyed(Buffer.alloc(32, 5)));
    const folder = join(top, name);
    for (const file of files) {
      const target = join(folder, change.path(file.path));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, change.text(file.text));
    }
    const before = await hairpin("diagnose", path, "--json");
    const after = await hairpin("diagnose", folder, "--json");
    expect([after.status, after.err]).toEqual([before.status, before.err]);
    const own = MADE_UP.filter((a) => !files.some((f) => f.text.includes(a)));
    const known = withoutMadeUp(
      before.out,
      files.map((f) => f.text),
    );
    const hidden = own.reduce((text, a, i) => text.replaceAll(a, `@${i}@`), known);
    const expected = own.reduce((text, a, i) => text.replaceAll(`@${i}@`, a), change.text(hidden));
    const answered = withoutMadeUp(
      after.out,
      files.map((f) => change.text(f.text)),
    );
    expect(sorted(JSON.parse(answered))).toEqual(sorted(JSON.parse(expected)));
    // It would be no test if nothing had changed.
    expect(after.out).not.toBe(before.out);
  });
});
