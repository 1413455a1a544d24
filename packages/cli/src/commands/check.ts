import { check as checkCase, isClean, nodesOf } from "@hairpin/core/check/index.ts";
import { loadCase } from "../case/load.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { checkJson } from "../report/check-json.ts";
import { checkText } from "../report/check-text.ts";
import type { Register } from "./command.ts";

interface Options {
  readonly json?: boolean;
  readonly node?: string;
}

export const check: Register = (program, surface) => {
  program
    .command("check")
    .summary("what was read, what was not understood, contradictions, what is missing")
    .description(
      "Says what was recognised in the files, every line that was not understood, where dumps contradict each other, and which commands would supply what is missing for a full answer.\n\nExit status: 0 clean, 1 something was not understood or contradicts itself, 64 and up for bad use or unreadable input.",
    )
    .argument("<path...>", "a folder, a bundle (.tar.gz), a transcript, or loose files; - reads standard input")
    .option("--json", "print one JSON object")
    .option("--node <name>", "only what concerns this node")
    .action((paths: string[], options: Options) => {
      const loaded = loadCase(paths);
      const { node } = options;
      const nodes = nodesOf(loaded.reading);
      if (node !== undefined && !nodes.includes(node)) {
        throw new Failure(EXIT.usage, `there is no node ${node} in it; there is ${nodes.join(", ") || "none"}`);
      }
      const report = checkCase(loaded.reading, loaded.inputs, node);
      surface.write(
        options.json
          ? `${JSON.stringify(checkJson(report, loaded.notes), null, 2)}\n`
          : checkText(report, loaded.notes, surface.style),
      );
      surface.finish(isClean(report) ? 0 : 1);
    });
};
