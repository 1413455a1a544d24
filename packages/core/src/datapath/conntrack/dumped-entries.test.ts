import fc from "fast-check";
import { expect, test } from "vitest";
import type { ConntrackEntry, Stack } from "../../model/index.ts";
import { ipv4Of, ipv6Of } from "../../net/index.ts";
import { type Conntrack, ConntrackTable, invertTuple, type Tuple } from "./nf-conntrack.ts";
import type { Zone } from "./nf-conntrack-zone.ts";

const origin = { kind: "read", file: "conntrack.txt", line: 1 } as const;
const tableOf = (items: readonly ConntrackEntry[]): ConntrackTable =>
  new ConntrackTable({ conntrack: { items, extent: "whole" } } as unknown as Stack);

// Few values, so that entries clash and are found.
const address = fc.oneof(
  fc.integer({ min: 0, max: 3 }).map((n) => ipv4Of(0x0a000000 + n)),
  fc.integer({ min: 0, max: 2 }).map((n) => ipv6Of([0xfd00, 0, 0, 0, 0, 0, 0, n])),
);
const tuple = fc.record({
  src: address,
  dst: address,
  sport: fc.integer({ min: 1, max: 3 }),
  dport: fc.integer({ min: 1, max: 3 }),
  protocol: fc.constantFrom(6, 17),
});
const direction = fc.constantFrom(undefined, "original" as const, "reply" as const);
const entry = fc
  .record({ original: tuple, reply: tuple, plain: fc.boolean(), zone: fc.integer({ min: 0, max: 1 }), direction })
  .map(
    ({ original, reply, plain, zone, direction: of }): ConntrackEntry => ({
      original,
      reply: plain ? (invertTuple(original) as typeof reply) : reply,
      assured: false,
      unreplied: false,
      mark: 0,
      zone,
      ...(of !== undefined && { zoneDirection: of }),
      origin,
    }),
  );

/** As a table that is filled entry by entry. */
function filled(items: readonly ConntrackEntry[]): ConntrackTable {
  const table = tableOf([]);
  for (const one of items) {
    const zone: Zone = { id: one.zone, ...(one.zoneDirection !== undefined && { direction: one.zoneDirection }) };
    const ct: Conntrack = { ...table.create(one.original, zone), origin };
    table.alterReply(ct, one.reply);
    table.insert(ct);
  }
  return table;
}

const shown = (found: ReturnType<ConntrackTable["find"]>): string =>
  found === undefined ? "nobody" : `${found.direction} ${text(found.ct)}`;
const text = (ct: Conntrack): string =>
  JSON.stringify([ct.tuple, ct.zone], (_, v) => (typeof v === "bigint" ? `${v}` : v));

test("a dump is found as if each of its entries had been put in", () => {
  fc.assert(
    fc.property(
      fc.array(entry, { maxLength: 40 }),
      fc.array(fc.record({ tuple, zone: fc.integer({ min: 0, max: 1 }) }), { maxLength: 30 }),
      fc.array(fc.nat(39), { maxLength: 5 }),
      (items, asked, removed) => {
        const [lazy, plain] = [tableOf(items), filled(items)];
        const same = (): void => {
          expect(lazy.entries.map(text)).toEqual(plain.entries.map(text));
          for (const { tuple: t, zone } of [...asked, ...items.map((i) => ({ tuple: i.reply, zone: i.zone }))])
            expect(shown(lazy.find(t, { id: zone }))).toBe(shown(plain.find(t, { id: zone })));
        };
        same();
        const now = lazy.snapshot(text);
        const before = lazy.entries.map(text);
        for (const at of removed) {
          const [x, y] = [lazy.entries[at], plain.entries[at]];
          if (x === undefined || y === undefined) continue;
          lazy.remove(x);
          plain.remove(y);
          same();
        }
        // What is asked for later is how it was then.
        expect(now()).toEqual(before);
        const [first] = items;
        if (first !== undefined) {
          const added = (table: ConntrackTable): boolean => table.insert(table.create(first.original, { id: 0 }));
          expect(added(lazy)).toBe(added(plain));
          same();
        }
      },
    ),
    { seed: 17, numRuns: 100 },
  );
});

test("a port that is a set is nobody's in a dump, and an entry is one and the same as long as a walk lasts", () => {
  const original: Tuple = { src: ipv4Of(1), dst: ipv4Of(2), sport: 5, dport: 6, protocol: 6 };
  const one = { original, reply: invertTuple(original), assured: true, unreplied: false, mark: 7, zone: 0, origin };
  const table = tableOf([one as ConntrackEntry]);
  expect(table.find({ ...original, sport: { id: "p1" } as never }, { id: 0 })).toBeUndefined();
  const [x, y] = [table.find(original, { id: 0 }), table.find(invertTuple(original), { id: 0 })];
  expect([x?.ct.mark, x?.direction, y?.direction]).toEqual([7, "original", "reply"]);
  expect(x?.ct).toBe(y?.ct);
});
