import { sweptCluster } from "@hairpin/testing/swept-cluster.ts";
import { describe, expect, it } from "vitest";
import { Askable } from "../diagnose/index.ts";
import { readCase } from "../parse/index.ts";
import { sweepLines } from "./json.ts";
import { BadMerge, mergeSweeps, readSweep, shardOf } from "./merge.ts";
import { sweep } from "./sweep.ts";
import type { Shard, Sweep } from "./swept.ts";

const inputs = Object.entries(
  sweptCluster({ nodes: 3, pods: 1, services: 2, nodePorts: 1, faults: [{ kind: "forward-policy-drop", at: 1 }] }),
).map(([path, text]) => ({ path, text }));

/** Each on a machine of its own: nothing is shared but the input. */
function run(shard?: Shard): Sweep {
  const askable = new Askable({ inputs, reading: readCase(inputs), notes: [] }, []);
  const walking = sweep(askable, { shard });
  for (;;) {
    const step = walking.next();
    if (step.done === true) return step.value;
  }
}

const printed = (found: Sweep): string =>
  sweepLines(found)
    .map((l) => `${JSON.stringify(l)}\n`)
    .join("");

describe("shards of a sweep", () => {
  const whole = printed(run());
  const shards = Array.from({ length: 7 }, (_, i) => printed(run({ index: i + 1, of: 7 })));
  const merged = (texts: readonly string[]): string =>
    printed(mergeSweeps(texts.map(readSweep).filter((s) => s !== undefined)));

  it("are, put together, what one run prints, in whatever order", () => {
    expect(run().classes.length).toBeGreaterThan(10);
    expect(merged(shards)).toBe(whole);
    expect(merged([...shards].reverse())).toBe(whole);
    expect(merged([whole])).toBe(whole);
  });

  it("may be killed and asked again", () => {
    const killed = shards[2]!.slice(0, Math.floor(shards[2]!.length / 2));
    expect(readSweep(killed)).toBeUndefined();
    expect(merged([...shards, killed])).toBe(whole);
    expect(merged([...shards, shards[4]!])).toBe(whole);
    expect(() => merged([...shards.filter((_, i) => i !== 2), killed])).toThrow(BadMerge);
  });

  it("of different sweeps are not put together", () => {
    expect(() => merged([shards[0]!, printed(run({ index: 2, of: 3 }))])).toThrow(/different/);
    expect([shardOf("1/7"), shardOf("0/7"), shardOf("8/7"), shardOf("x")]).toEqual([
      { index: 1, of: 7 },
      undefined,
      undefined,
      undefined,
    ]);
    expect(() => readSweep('{"id":1}\n{"schema":"hairpin/sweep/1","flows":1,"answered":1,"walks":1}\n')).toThrow(
      BadMerge,
    );
  });
});
