import { Askable, namesJson, type QuestionOptions, tracedJson } from "@hairpin/core/diagnose/index.ts";
import type { Lang } from "@hairpin/core/messages/index.ts";
import { jsonText } from "@hairpin/core/messages/printable.ts";
import { runBatch } from "../case/batch.ts";
import { loadAny } from "../case/load-large.ts";
import { langOption } from "../lang.ts";
import { printable } from "../report/style.ts";
import { traceText } from "../report/trace-text.ts";
import type { Register } from "./command.ts";
import { withQuestionOptions } from "./question-options.ts";

interface Options extends QuestionOptions {
  readonly assume: readonly string[];
  readonly try: readonly string[];
  readonly json?: boolean;
  readonly lang?: Lang;
  readonly verbose?: boolean;
  readonly batch?: string;
  readonly verdicts?: boolean;
}

export const TRACE_SCHEMA = "hairpin/trace/1";

export const trace: Register = (program, surface) => {
  withQuestionOptions(
    program
      .command("trace")
      .summary("every step of every branch of a packet, there and back")
      .description(
        "Walks a packet from a process to whoever answers, and the answer back, through every branch that chance or an open fact allows. One line a step, with the rule or route that decided.\n\nExit status: 0 answered, 64 and up for bad use or unreadable input.",
      )
      .argument("<case...>", "a folder, a bundle (.tar.gz), a transcript, or loose files"),
  )
    .option("-v, --verbose", "also the rules that did not match, and why")
    .addOption(langOption())
    .option("--batch <file>", "many questions: a JSON object a line, with an id; - reads standard input")
    .option("--verdicts", "with --batch: only what the walk of each comes to, not its steps")
    .action((paths: string[], options: Options) => {
      const askable = new Askable(loadAny(paths, options.batch === undefined ? options : undefined), options.assume);
      const world = options.try.reduce((w, patch) => askable.patched(patch, w).world, askable.world);
      if (options.batch !== undefined) {
        surface.finish(runBatch(askable, world, options.batch, options, options.verdicts === true, surface.write));
        return;
      }
      const inquiry = askable.ask(options, world, options.verbose === true);
      const { exploration } = inquiry;
      if (options.json) {
        surface.write(
          `${jsonText({ schema: TRACE_SCHEMA, names: namesJson(exploration.world, exploration.branches), ...tracedJson(exploration.branches, askable.holdsFor(inquiry, world)) }, 2)}\n`,
        );
      } else {
        const { style } = surface;
        surface.page(
          traceText(exploration, {
            quote: (file, line) => askable.quote(file, line),
            lang: options.lang ?? surface.lang,
            clean: printable,
            bold: style.bold,
            dim: style.dim,
            bad: style.red,
            good: style.green,
          }),
        );
      }
      surface.finish(0);
    });
};
