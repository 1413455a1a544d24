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
      : typeof value === "string" && value.endsWith("…")
        ? value.slice(0, SHOWN)
        : value;

/** Of a long line that is cut: where, depends on the length of the names before. */
const SHOWN = 150;

/** Addresses and MACs as they stand in a text. */
const ADDRESS =
  /(?<![a-zA-Z0-9.:])(?:\d{1,3}(?:\.\d{1,3}){3}(?!\w)|(?=[0-9a-f]{0,4}:[0-9a-f:]*:)[0-9a-f:]{1,38}(?:[0-9a-f]|::)(?!\w|:[\w:]))/g;
const WORD = /[\p{L}\p{N}](?:[\p{L}\p{N}_-]*[\p{L}\p{N}_])?/gu;

/** MACs and devices that no file has are made of the addresses of hosts nobody showed. */
const withoutMadeUp = (text: string, files: readonly { readonly text: string }[]): string =>
  text
    .replace(/\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b/g, (mac) =>
      files.some((f) => f.text.toLowerCase().includes(mac)) ? mac : "@mac@",
    )
    .replace(/\bveth[0-9a-f]{8}\b/g, (device) => (files.some((f) => f.text.includes(device)) ? device : "@veth@"));

describe("the diagnosis of an anonymised case is the same but for names", () => {
  test.each(bundledCases().map((c) => [c.name, c] as const))("%s", async (name, { path, loaded }) => {
    const files = loaded.inputs.flatMap((i) => (i.text === undefined ? [] : [{ path: i.path, text: i.text }]));
    const change = anonymiser(files, keyed(Buffer.alloc(32, 5)));
    const folder = join(top, name);
    const changed = files.map((file) => ({ path: change.path(file.path), text: change.text(file.text, file.path) }));
    for (const file of changed) {
      const target = join(folder, file.path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, file.text);
    }
    const before = await hairpin("diagnose", path, "--json");
    const after = await hairpin("diagnose", folder, "--json");
    expect([after.status, after.err]).toEqual([before.status, before.err]);
    // The answer, its names and addresses turned back: of all that the bundle or the answer before says, what became of it.
    const back = new Map<string, string>();
    const words = [...files.flatMap((f) => [f.path, f.text]), before.out].join("\n");
    for (const pattern of [ADDRESS, WORD])
      for (const [word] of words.matchAll(pattern)) {
        const now = change.text(word);
        if (now !== word) back.set(now, word);
      }
    for (const { path: p } of files)
      for (const [i, part] of p.split("/").entries()) back.set(change.path(p).split("/")[i]!, part);
    const own = (text: string): string => {
      const put: string[] = [];
      const aside = (found: string): string => {
        const original = back.get(found);
        return original === undefined ? found : String.fromCharCode(0xe000 + put.push(original) - 1);
      };
      return text
        .replace(ADDRESS, aside)
        .replace(WORD, aside)
        .replace(/[\ue000-\uf8ff]/g, (c) => put[c.charCodeAt(0) - 0xe000]!);
    };
    const answered = own(withoutMadeUp(after.out, changed));
    expect(sorted(JSON.parse(answered))).toEqual(sorted(JSON.parse(withoutMadeUp(before.out, files))));
    // It would be no test if nothing had changed.
    expect(after.out).not.toBe(before.out);
  });
});
