// An experiment by hand, asked of the walk and of a kernel: npm run adversary -- FOLDER… [--backend netns|vm] [--try N]
//
// FOLDER holds dumps as a user would collect them, and flows.json: [{ "dumps": "dumps", "args": ["--from", "stack/c", "--to", "10.2.0.2:80", "--proto", "tcp"] }].
// What the kernel did is written into the file as "kernel"; flows that have it already are asked again and compared.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openNetns, openVm } from "@hairpin/lab/index.ts";
import { askKernel } from "../test/adversary/ask-kernel.ts";
import { type Flow, flowName, kernelSaw, walkSays } from "../test/adversary/flows.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { backend: { type: "string", default: "netns" }, try: { type: "string", default: "3" } },
});
const say = (text: string) => process.stdout.write(`${text}\n`);
if (positionals.length === 0) {
  say("npm run adversary -- FOLDER… [--backend netns|vm] [--try N]");
  process.exit(64);
}
const lab = await (values.backend === "vm" ? openVm({}) : openNetns());
let differ = 0;
try {
  for (const folder of positionals) {
    const file = join(folder, "flows.json");
    const flows = JSON.parse(readFileSync(file, "utf8")) as Flow[];
    const said = walkSays(folder, flows);
    const asked: Flow[] = [];
    for (const [i, flow] of flows.entries()) {
      const kernel = await askKernel(lab, folder, flow, Number(values.try));
      const now = { ...flow, kernel };
      asked.push(now);
      const agrees = said[i] === kernelSaw(now);
      if (!agrees) differ++;
      say(`${agrees ? "agrees " : "DIFFERS"} ${flowName(flow)}: kernel ${kernelSaw(now)}, walk ${said[i]}`);
    }
    if (flows.some((f) => f.kernel === undefined)) writeFileSync(file, `${JSON.stringify(asked, null, 1)}\n`);
  }
} finally {
  await lab.close();
}
say(`${differ} of the flows differ`);
process.exitCode = differ === 0 ? 0 : 1;
