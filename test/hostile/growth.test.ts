import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { childrenMilliseconds } from "@hairpin/testing/cpu.ts";
import { describe, expect, test } from "vitest";
import { folderOf, hairpin } from "../check/surface.ts";
import { SHAPES } from "./shapes/index.ts";
import type { Shape } from "./shapes/shape.ts";

type Ask = (a: string, b: string, from: string, to: string) => readonly string[];

/** Every command, once for each way its work differs. */
const COMMANDS: readonly (readonly [string, Ask])[] = [
  ["check", (a) => ["check", a]],
  ["diagnose", (a, _, from, to) => ["diagnose", a, "--from", from, "--to", to, "--json"]],
  ["trace", (a, _, from, to) => ["trace", a, "--from", from, "--to", to, "-v"]],
  ["diff", (a, b) => ["diff", a, b]],
  ["instrument", (a, _, from, to) => ["instrument", a, "--from", from, "--to", to]],
  ["a fix", (a, _, from, to) => ["diagnose", a, "--from", from, "--to", to, "--try", "iptables -I OUTPUT -j ACCEPT"]],
  [
    "guard",
    (a, _, from, to) => [
      "guard",
      a,
      "--from",
      from,
      "--to",
      to,
      "--fix",
      "SERVICE_ROUTE",
      "--on",
      "node",
      "--state",
      join(a, "st"),
    ],
  ],
  ["the report", (a, _, from, to) => ["diagnose", a, "--from", from, "--to", to, "--html", join(a, "../report.html")]],
];

const bundle = join(import.meta.dirname, "../../packages/cli/dist/hairpin.mjs");

/** Of a process of its own, as users start it, less what starting takes. */
function alone(args: readonly string[]): number {
  const [spent, starting] = [args, ["version"]].map((words) =>
    childrenMilliseconds(() => spawnSync(process.execPath, [bundle, ...words], { stdio: "ignore" })),
  );
  return Math.max(0, spent! - starting!) / 1000;
}

/** Seconds of the processor, which hold where a clock does not: on a machine that others use too. */
async function cost(
  shape: Shape,
  n: number,
  ask: Ask,
  run: (args: readonly string[]) => number | Promise<number> = within,
): Promise<number> {
  const files = shape.files(n);
  const otherwise = Object.fromEntries(
    Object.entries(files).map(([name, text]) => [
      name,
      text.replace(/^-A .*$/gm, (rule, at: number) =>
        at % 3 === 0 ? rule.replace("ACCEPT", "DROP").replace("10.", "11.") : rule,
      ),
    ]),
  );
  const folder = folderOf({
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`a/${name}`, text])),
    ...Object.fromEntries(Object.entries(otherwise).map(([name, text]) => [`b/${name}`, text])),
  });
  try {
    const args = ask(
      join(folder.path, "a"),
      join(folder.path, "b"),
      shape.from ?? "node/node",
      shape.to ?? "10.96.0.1:443",
    );
    return await run(args);
  } finally {
    folder.remove();
  }
}

async function within(args: readonly string[]): Promise<number> {
  const before = process.cpuUsage();
  const { status, err } = await hairpin(...args);
  const { user, system } = process.cpuUsage(before);
  expect([status, err]).not.toEqual([70, err]);
  return (user + system) / 1e6;
}

/** Below this, what is measured is the machine. */
const NOISE = 0.25;
/** Four times the input, about four times the work; twice that for what memory and its collector add. */
const MOST_GROWTH = 8;
/** Whatever the input. */
const MOST_SECONDS = 20;

describe.each(SHAPES.map((shape, i) => [shape.name, shape, i] as const))("%s", (_, shape, i) => {
  // Reading and walking for every shape; of the rest one each, so that every command meets some of them.
  const [check, diagnose, ...rest] = COMMANDS;
  const chosen = [check!, diagnose!, rest[i % rest.length]!];
  test.each(chosen)(
    "%s grows with what it reads",
    async (_name, ask) => {
      const n = Math.max(3, Math.round(shape.n / 6));
      const middle = await cost(shape, 2 * n, ask);
      const first = await cost(shape, 4 * n, ask);
      // Whatever the small one costs, these have not grown too much beside the noise.
      if (Math.max(middle, first) < NOISE * MOST_GROWTH) return;
      const small = Math.max(NOISE, await cost(shape, n, ask));
      // Neighbours on the same cores and the collector add to a measurement, never take from it: the smallest is the nearest.
      const large = first / small < MOST_GROWTH ? first : Math.min(first, await cost(shape, 4 * n, ask));
      expect(large).toBeLessThan(MOST_SECONDS);
      if (Math.max(middle, large) / small < MOST_GROWTH || !existsSync(bundle)) {
        expect(middle / small).toBeLessThan(MOST_GROWTH);
        expect(large / small).toBeLessThan(MOST_GROWTH);
        return;
      }
      // A process that has run hundreds of questions collects its own heap, too: what users start has a heap of its own.
      const least = Math.max(NOISE, await cost(shape, n, ask, alone));
      expect((await cost(shape, 4 * n, ask, alone)) / least).toBeLessThan(MOST_GROWTH);
    },
    240_000,
  );
});
