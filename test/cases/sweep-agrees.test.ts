import { join } from "node:path";
import { compare } from "@hairpin/core/compare/index.ts";
import { type ChangedClass, compareSweeps, sweepable } from "@hairpin/core/sweep/index.ts";
import { describe, expect, test } from "vitest";
import { askings, bundledCases, CASES, openCase } from "./bundled.ts";

function ended<R>(walking: Generator<unknown, R>): R {
  for (;;) {
    const step = walking.next();
    if (step.done === true) return step.value;
  }
}

/** Where it dies is no matter to diff, which compares what becomes of packets. */
const faresOtherwise = ({ before, after }: ChangedClass): boolean =>
  before.verdict !== after.verdict || before.clientSees !== after.clientSees;

/** What no diff compares: it speaks of what is set up, not of connections that are there. */
const isConnections = (commands: readonly string[]): boolean => commands.every((c) => /\bconntrack -D/.test(c));

describe.each(bundledCases().map((bundled) => ({ name: bundled.name, bundled })))(
  "sweep and diff of $name",
  ({ bundled }) => {
    const askable = sweepable(bundled.loaded, []);
    const { world } = askable;
    const nodes = world.stacks
      .filter((s) => s.kind === "node" && s.assumed === undefined)
      .map(({ name }) => ({ a: name, b: name }));
    const fix = askings(bundled).find((a) => a.fix !== undefined)?.fix;

    test.skipIf(fix === undefined)(
      `${fix ?? "no fix"}: where flows fare otherwise, diff finds what packets do or cannot say`,
      () => {
        const { world: changed, commands } = askable.patched(fix!);
        const found = ended(compareSweeps({ askable }, { askable, world: changed }, {}));
        if (isConnections(commands) || !found.changed.some(faresOtherwise)) return;
        const { differences, undecided } = compare({ world }, { world: changed }, nodes, { sameNode: true });
        expect(differences.length + undecided.length).toBeGreaterThan(0);
      },
      120_000,
    );

    test("nothing changed: both say so, whatever was observed", () => {
      const found = ended(compareSweeps({ askable }, { askable, world: { ...world } }, {}));
      expect([found.changed, found.gone, found.fresh]).toEqual([[], 0, 0]);
    }, 120_000);
  },
);

// Two switches of which the kernel takes the larger; and what is only asked by way of a load balancer.
describe.each([
  ["pod-to-lb-two-cards", "off-everywhere"],
  ["lb-loops-back", "no-rp-filter"],
  ["lb-loops-back", "accept-own-address"],
])("%s, %s", (name, fix) => {
  test("flows fare otherwise, and diff finds the packets that do", () => {
    const askable = sweepable(openCase(join(CASES, name)).loaded, []);
    const { world } = askable;
    const { world: changed } = askable.patched(fix);
    const nodes = world.stacks.flatMap((s) => (s.kind === "node" && s.assumed === undefined ? [s.name] : []));
    expect(ended(compareSweeps({ askable }, { askable, world: changed }, {})).changed).not.toEqual([]);
    const { differences } = compare(
      { world },
      { world: changed },
      nodes.map((n) => ({ a: n, b: n })),
      { sameNode: true },
    );
    expect(differences).not.toEqual([]);
    const named = differences.flatMap((d) => d.elements.map((e) => e.where));
    expect(named.every((where) => /rp_filter|accept_local/.test(where))).toBe(true);
  }, 120_000);
});
