import { Askable, diagnose as diagnosed, diagnosisJson, type QuestionOptions } from "@hairpin/core/diagnose/index.ts";
import type { Lang } from "@hairpin/core/messages/index.ts";
import { LIMITS } from "../case/limits.ts";
import { loadCase } from "../case/load.ts";
import { diagnosisText } from "../report/diagnosis-text.ts";
import { writeHtmlReport } from "../report/html-report.ts";
import type { Register } from "./command.ts";
import { withQuestionOptions } from "./question-options.ts";

interface Options extends QuestionOptions {
  readonly assume: readonly string[];
  readonly try: readonly string[];
  readonly json?: boolean;
  readonly html?: string;
  readonly lang?: Lang;
}

const STATUS = { reachable: 0, unreachable: 1, intermittent: 1, undetermined: 2 } as const;

export const diagnose: Register = (program, surface) => {
  withQuestionOptions(
    program
      .command("diagnose")
      .summary("can FROM reach TO, and does the answer come back")
      .description(
        "Can FROM reach TO, and does the answer come back? Says where the packet dies, what the client sees, which open facts decide it, and what was assumed. With --try, what becomes of the flow after that change.\n\nExit status: 0 reachable, 1 unreachable or intermittent, 2 undetermined, 64 and up for bad use or unreadable input.",
      )
      .argument("<case...>", "a folder, a bundle (.tar.gz), a transcript, or loose files"),
  )
    .option("--html <file>", "write a report as well: one file that holds the whole answer and loads nothing")
    .action((paths: string[], options: Options) => {
      const loaded = loadCase(paths, LIMITS, options);
      const askable = new Askable(loaded, options.assume);
      const diagnosis = diagnosed(askable, options, options.try);
      const quote = (file: string, line: number) => askable.quote(file, line);
      surface.write(
        options.json
          ? `${JSON.stringify(diagnosisJson(diagnosis, quote), null, 2)}\n`
          : diagnosisText(diagnosis, quote, surface.style),
      );
      if (options.html !== undefined) writeHtmlReport(options.html, loaded, diagnosis, quote, options.lang ?? "en");
      surface.finish(STATUS[diagnosis.judgement.verdict]);
    });
};
