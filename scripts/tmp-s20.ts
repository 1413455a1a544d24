import { sweptCluster } from "../packages/testing/src/swept-cluster.ts";
import { readCase } from "../packages/core/src/parse/index.ts";
import { Askable } from "../packages/core/src/diagnose/index.ts";
import { sweep, causesIn, tallyOf, undecidedIn } from "../packages/core/src/sweep/index.ts";
const [nodes, pods, services, nodePorts] = process.argv.slice(2).map(Number);
const faults = JSON.parse(process.env.FAULTS ?? "[]");
const files = sweptCluster({ nodes: nodes!, pods: pods!, services: services!, nodePorts: nodePorts!, faults });
const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
const askable = new Askable({ inputs, reading: readCase(inputs), notes: [] } as never, []);
const t = process.cpuUsage().user;
const w = sweep(askable); let s = w.next(); let last = Date.now();
while (s.done !== true) { if (Date.now() - last > 10000) { last = Date.now(); console.error(s.value.answered, s.value.flows, s.value.known().walks); } s = w.next(); }
const { classes, flows, walks } = s.value;
console.log({ flows, walks, cpu: (process.cpuUsage().user - t) / 1e6, rss: process.memoryUsage().rss / 1e6 }, tallyOf(classes));
for (const c of causesIn(classes)) console.log(c.code, c.at, c.flows, c.classes, JSON.stringify(c.example), c.fix?.commands.join(";"), c.fix?.heals);
for (const u of undecidedIn(classes).slice(0, 5)) console.log(u);
