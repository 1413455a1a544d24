import { Askable, type QuestionOptions } from "@hairpin/core/diagnose/index.ts";
import { resolveQuestion, trace } from "@hairpin/core/trace/index.ts";
import { branchesOf, type Conformance, conform, hypothesesOf, LAB_PORT, planFor } from "@hairpin/lab/conform.ts";
import { cleanLeftovers, openLab } from "@hairpin/lab/index.ts";
import { LIMITS } from "../case/limits.ts";
import { loadCase } from "../case/load.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { labJson } from "../report/lab-json.ts";
import { labText } from "../report/lab-text.ts";
import type { Register } from "./command.ts";
import { withQuestionOptions } from "./question-options.ts";

interface Options extends QuestionOptions {
  readonly assume: readonly string[];
  readonly try: readonly string[];
  readonly fix?: string;
  readonly backend?: "auto" | "netns" | "vm";
  readonly clean?: boolean;
  readonly json?: boolean;
}

/** More hypotheses than this are not put to a kernel in one call. */
const MAX_HYPOTHESES = 16;

export const lab: Register = (program, surface) => {
  withQuestionOptions(
    program
      .command("lab")
      .summary("the same question asked of a real kernel")
      .description(
        "Builds the case in fresh network namespaces, of the running kernel or of a small VM, sends the real packet, and lays what the kernel did beside what the walk predicted.\n\nExit status: 0 they agree, 1 they differ, 69 no kernel can be asked here.",
      )
      .argument("[case...]", "a folder, a bundle (.tar.gz), a transcript, or loose files"),
  )
    .option("--fix <name>", "once more with this fix of case.yaml applied")
    .option("--backend <kind>", "auto (default), netns or vm")
    .option("--clean", "remove what a killed run left behind")
    .action(async (paths: string[], options: Options) => {
      if (options.clean) {
        const cleaned = await cleanLeftovers();
        surface.write(`${JSON.stringify(cleaned)}\n`);
        surface.finish(0);
        return;
      }
      if (paths.length === 0) throw new Failure(EXIT.usage, "say which case");
      const askable = new Askable(loadCase(paths, LIMITS, options), options.assume);
      const patches = [...options.try, ...(options.fix === undefined ? [] : [options.fix])];
      const world = patches.reduce((w, patch) => askable.patched(patch, w).world, askable.world);
      const spec = { ...askable.spec(options), sport: askable.spec(options).sport ?? LAB_PORT };
      const resolved = resolveQuestion(world, spec);
      if (resolved.ok === false) throw new Failure(EXIT.usage, resolved.error);
      if (resolved.ok === "unsupported") throw new Failure(EXIT.unavailable, resolved.reason);
      const exploration = trace(resolved.world, resolved.question, { fixed: askable.assumed });
      const hypotheses = hypothesesOf(exploration);
      if (hypotheses.length > MAX_HYPOTHESES) {
        throw new Failure(
          EXIT.unavailable,
          `${hypotheses.length} hypotheses are too many for one call: settle some with --assume`,
        );
      }
      const needs = hypotheses.flatMap(
        (h) => planFor(exploration.world, resolved.question, branchesOf(exploration, h), h).needs,
      );
      const backend = await openLab([...new Set(needs)], {
        onProgress: (text) => surface.complain(text),
        ...(options.backend !== undefined && { backend: options.backend }),
      });
      try {
        const results: Conformance[] = [];
        for (const hypothesis of hypotheses) {
          const result = await conform(backend, exploration, resolved.question, hypothesis);
          results.push(result);
          if (options.json !== true) surface.write(labText(result, surface.style));
        }
        if (options.json) surface.write(`${JSON.stringify(labJson(results), null, 2)}\n`);
        surface.finish(results.every((r) => r.explained !== undefined) ? 0 : 1);
      } finally {
        await backend.close();
      }
    });
};
