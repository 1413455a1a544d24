import { writeFileSync } from "node:fs";
import { Askable, diagnose as diagnosed, diagnosisJson, type QuestionOptions } from "@hairpin/core/diagnose/index.ts";
import { type Lang, text as message } from "@hairpin/core/messages/index.ts";
import { jsonText } from "@hairpin/core/messages/printable.ts";
import { askedPart } from "@hairpin/core/sweep/index.ts";
import { loadAny } from "../case/load-large.ts";
import { locatedIn } from "../case/located.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { langOption } from "../lang.ts";
import { diagnosisText } from "../report/answer/diagnosis-text.ts";
import { writeHtmlReport } from "../report/html-report.ts";
import { junitReport } from "../report/junit.ts";
import { markdownReport } from "../report/markdown.ts";
import { sarifReport } from "../report/sarif.ts";
import type { Register } from "./command.ts";
import { withQuestionOptions } from "./question-options.ts";

interface Options extends QuestionOptions {
  readonly assume: readonly string[];
  readonly try: readonly string[];
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly html?: string;
  readonly markdown?: string | true;
  readonly sarif?: string | true;
  readonly junit?: string | true;
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
    .option("-v, --verbose", "all branches, fixes, evidence and assumptions")
    .option("--html <file>", "write a report as well: one file that holds the whole answer and loads nothing")
    .option("--markdown [file]", "the answer for a ticket, into a file, or instead of the text")
    .option("--sarif [file]", "the causes as SARIF, for pipelines")
    .option("--junit [file]", "the question as a test case of JUnit, for pipelines")
    .addOption(langOption())
    .action((paths: string[], options: Options) => {
      const loaded = loadAny(paths, options);
      const askable = new Askable(loaded, options.assume);
      const asked = options.try.length === 0 ? askedPart(askable, options) : askable;
      const diagnosis = diagnosed(asked, options, options.try);
      const quote = (file: string, line: number) => askable.quote(file, line);
      const lang = options.lang ?? surface.lang;
      const reports: readonly [string, string | true | undefined, () => string][] = [
        ["markdown", options.markdown, () => markdownReport(diagnosis, quote, lang)],
        ["sarif", options.sarif, () => sarifReport(diagnosis, locatedIn(paths))],
        ["junit", options.junit, () => junitReport(diagnosis, quote)],
      ];
      const instead = reports.find(([, target]) => target === true || target === "-");
      if (instead !== undefined) surface.write(instead[2]());
      else if (options.json) surface.write(`${jsonText(diagnosisJson(diagnosis, quote), 2)}\n`);
      else
        surface.page(
          diagnosisText(diagnosis, {
            quote,
            style: surface.style,
            lang,
            verbose: options.verbose === true,
            ...(surface.width === undefined ? {} : { width: surface.width }),
          }),
        );
      for (const [name, target, report] of reports)
        if (typeof target === "string" && target !== "-") writeReport(name, target, report());
      if (options.html !== undefined) writeHtmlReport(options.html, loaded, diagnosis, quote, lang);
      surface.finish(STATUS[diagnosis.judgement.verdict]);
    });
};

function writeReport(name: string, file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Failure(EXIT.cannotWrite, message("error.option", { name, value: file, why: (error as Error).message }));
  }
}
