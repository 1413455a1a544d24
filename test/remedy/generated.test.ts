import { applyPatch } from "@hairpin/core/assemble/index.ts";
import { NO_OBJECTS, read, type World } from "@hairpin/core/model/index.ts";
import { PROTO } from "@hairpin/core/net/index.ts";
import { proposeFixes } from "@hairpin/core/remedy/index.ts";
import { judge, type Question, trace } from "@hairpin/core/trace/index.ts";
import { generate } from "@hairpin/lab/soak/generate/index.ts";
import { meaning } from "@hairpin/testing/same-world.ts";
import { expect, test } from "vitest";

const COUNT = Number(process.env.HAIRPIN_GENERATED ?? 120);

/** Every record with a line of its own, as if it had been read: causes are told by the line that decided. */
function asRead<T>(value: T, count: { line: number }): T {
  if (Array.isArray(value)) return value.map((v) => asRead(v as unknown, count)) as T;
  if (value instanceof Map) return new Map([...value].map(([k, v]) => [k, asRead(v as unknown, count)])) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, v]) => [
      key,
      key === "origin" ? read("generated", ++count.line) : asRead(v as unknown, count),
    ]),
  ) as T;
}

/** Worlds that nobody thought of: nodes, pods, bridges, tunnels, policy routing, rules and IPVS drawn at random. */
function* questions(): Generator<{ readonly name: string; readonly world: World; readonly question: Question }> {
  for (let n = 0; n < COUNT; n++) {
    const { world: made, steps } = generate(7, n, { kernel: "6.18.0", ipvs: n % 2 === 0 });
    const world: World = { ...asRead(made, { line: 0 }), kubernetes: NO_OBJECTS };
    for (const [i, step] of steps.entries()) {
      if (step.kind !== "connect" && step.kind !== "udp") continue;
      const protocol = step.kind === "connect" ? PROTO.tcp : PROTO.udp;
      const question: Question = { client: step.stack, to: step.to, port: step.port, protocol, size: 100 };
      yield { name: `${n}.${i}`, world, question };
      break;
    }
  }
}

test("every fix that is proposed for a generated World works there, and can be taken back", {
  timeout: 120_000,
}, () => {
  let broken = 0;
  let mended = 0;
  let fixes = 0;
  for (const { name, world, question } of questions()) {
    const exploration = trace(world, question);
    const judgement = judge(exploration);
    if (judgement.verdict === "reachable") continue;
    broken++;
    const proposed = proposeFixes({ world, question, exploration, judgement });
    mended += Number(proposed.some((f) => f.proof.verdict === "reachable"));
    for (const fix of proposed) {
      fixes++;
      const at = `${name} ${fix.code}`;
      const after = applyPatch(world, fix.commands);
      expect([at, after.problems]).toEqual([at, []]);
      const mendedWorld = fix.applyTo(world);
      expect(mendedWorld).toBeDefined();
      expect([at, judge(trace(mendedWorld!, question)).verdict]).toEqual([at, fix.proof.verdict]);
      const back = applyPatch(after.world, fix.undo);
      expect([at, fix.undo, back.problems]).toEqual([at, fix.undo, []]);
      if (!fix.costs.some((c) => c.id === "cost.unknown_before"))
        expect({ at, world: meaning(back.world) }).toEqual({ at, world: meaning(world) });
    }
  }
  console.log(`generated: ${broken} broken flows, ${mended} with a proved fix, ${fixes} fixes`);
  expect(broken).toBeGreaterThan(COUNT / 10);
  expect(mended).toBeGreaterThan(COUNT / 60);
});
