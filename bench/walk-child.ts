import type { World } from "../packages/core/src/model/index.ts";
import { type Question, type Recorded, resolveQuestion, trace } from "../packages/core/src/trace/index.ts";
import { bigNode, type Mode } from "./big-node.ts";
import { ownCpu } from "./cpu-of.ts";

/** Walks to the last Service of a node of so many, and says in microseconds of the processor what one of them takes. */
const [services = "10000", seconds = "1", mode = "iptables"] = process.argv.slice(2);
const n = Number(services);
const { world, to } = bigNode(n, mode as Mode);
const resolved = resolveQuestion(world, { from: "node/node", to });
if (resolved.ok !== true) throw new Error(JSON.stringify(resolved));
const { question } = resolved;
const first = ownCpu(() => trace(resolved.world, question, { record: false }));

/** Every branch of every exploration is one walk, there and back. The hosts that had to be made up are there. */
function each(where: World, asked: Question, record: Recorded): number {
  let walks = 0;
  const { ms } = ownCpu(() => {
    const start = process.cpuUsage();
    for (;;) {
      // To look at the clock takes as long as a tenth of a walk.
      for (let i = 0; i < 50; i++) walks += trace(where, asked, { record }).runs ?? 1;
      const { user, system } = process.cpuUsage(start);
      if (user + system > Number(seconds) * 1e6) return;
    }
  });
  return (ms * 1000) / walks;
}
const made = first.result.world;
const SINKS = [false, "lines", true] as const;
for (let i = 0; i < 600; i++) trace(made, question, { record: SINKS[i % 3]! });
console.log(
  JSON.stringify({
    services: n,
    mode,
    first: first.ms * 1000,
    none: Math.min(...[1, 2, 3].map(() => each(made, question, false))),
    lines: Math.min(...[1, 2].map(() => each(made, question, "lines"))),
    recording: Math.min(...[1, 2].map(() => each(made, question, true))),
  }),
);
