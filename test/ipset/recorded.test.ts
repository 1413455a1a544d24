import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { dialects, printList, printSave } from "../../packages/core/src/parse/ipset/index.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";

const fixture = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url)), "utf8");

/** hash:ip,mac, hash:ip,mark, hash:mac, hash:net,net and hash:net,port,net, which not every kernel has: Linux 6.1, ipset 7.17. */
test.each([
  ["ipset-list", "ipset-list-6.1.txt", printList],
  ["ipset-save", "ipset-save-6.1.txt", printSave],
])("%s of the rarer types is read and printed back", (id, name, print) => {
  const text = fixture(name);
  const reading = dialects.find((d) => d.id === id)!.read(sourceOf(name, text), {});
  expect(reading.diagnostics).toEqual([]);
  const sets = reading.facts.flatMap((f) => (f.kind === "ipset" ? f.sets : []));
  expect(sets.map((s) => s.dimensions.join())).toEqual([
    "ip,mac",
    "ip,mark",
    "mac",
    "net,net",
    "net,port,net",
    "net,net",
    "set",
  ]);
  expect(print(sets)).toBe(text);
});
