import { readFileSync, writeFileSync } from "node:fs";
import { readExpectations } from "@hairpin/case/index.ts";
import { diagnose } from "@hairpin/core/diagnose/index.ts";
import { type Lang, text as message, say } from "@hairpin/core/messages/index.ts";
import { askedPart, type Broken, hold, record } from "@hairpin/core/sweep/index.ts";
import { loadStreamed } from "../case/load-large.ts";
import { reason } from "../case/reason.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { langOption } from "../lang.ts";
import { diagnosisText } from "../report/answer/diagnosis-text.ts";
import { PLAIN, type Style } from "../report/style.ts";
import { expectationsText } from "../report/sweep/counted.ts";
import { expectJunit, expectSarif } from "../report/sweep/expect-reports.ts";
import { expectText, MARGIN } from "../report/sweep/expect-text.ts";
import { expectationsYaml } from "../report/sweep/expectations-yaml.ts";
import { refuseUnwritable } from "../report/writable.ts";
import { askableOf, run, secondsOf } from "../sweep/run.ts";
import type { Register } from "./command.ts";

/** Where nobody's screen is known. */
const REPORT_COLUMNS = 100;

interface Options {
  readonly record?: boolean;
  readonly assume: readonly string[];
  readonly maxTime?: string;
  readonly junit?: string | true;
  readonly sarif?: string | true;
  readonly lang?: Lang;
}

export const expect: Register = (program, surface) => {
  program
    .command("expect")
    .summary("hold what must and must not work against a case")
    .description(
      "Reads a YAML list of expectations (from, to, expect: works, fails, refused or timesOut; also seesClientAddress, viaNode, family, proto, via, node) and holds each against the case; names may have globs. A line that does not hold comes with its diagnosis. With --record, prints such a file from how the case is today. Without a case, only reads the file. Ctrl-C prints what is known so far.\n\nExit status: 0 all hold, 1 some do not, 2 some cannot be decided, match nothing or were not asked, or not everything could be recorded; 65 nothing is expected; 64 and up for bad use or unreadable input.",
    )
    .argument("<file|case...>", "the expectations, then the case; with --record only the case")
    .option("--record", "print the expectations that hold today")
    .option("--max-time <seconds>", "stop after so many seconds and print what is known")
    .option(
      "--assume <id=value>",
      "settle an open fact; may be given again",
      (v: string, all: readonly string[]) => [...all, v],
      [],
    )
    .option("--sarif [file]", "what does not hold as SARIF, for pipelines")
    .option("--junit [file]", "the expectations as test cases of JUnit, for pipelines")
    .addOption(langOption())
    .action(async (args: string[], options: Options) => {
      const lang = options.lang ?? surface.lang;
      const maxSeconds = secondsOf(options.maxTime);
      refuseUnwritable(Object.entries({ junit: options.junit, sarif: options.sarif }));
      if (options.record === true) {
        const title = args.join(" ");
        const recorded = await run(record(askableOf(loadStreamed(args), options.assume)), {
          maxSeconds,
          title,
          lang,
        });
        if (recorded.expectations.length === 0) {
          surface.complain(say(message("expect.none-recorded", { title }), lang));
          surface.finish(2);
          return;
        }
        surface.write(expectationsYaml(recorded, title, lang));
        surface.finish(recorded.notAsked === 0 ? 0 : 2);
        return;
      }
      const [file = "", ...paths] = args;
      const expectations = readExpectations(file, textOf(file));
      if (expectations.length === 0) throw new Failure(EXIT.badData, message("error.nothing-expected", { file }));
      if (paths.length === 0) {
        surface.write(`${say(message("expect.read", { all: expectationsText(expectations.length, lang) }), lang)}\n`);
        surface.finish(0);
        return;
      }
      const askable = askableOf(loadStreamed(paths), options.assume);
      const quote = (name: string, line: number) => askable.quote(name, line);
      const held = await run(hold(askable, expectations), { maxSeconds, title: file, lang });
      const diagnosed =
        (style: Style, width: number) =>
        ({ asked }: Broken): string =>
          diagnosisText(diagnose(askedPart(askable, asked), asked), { quote, style, lang, verbose: false, width });
      const reports: readonly [string, string | true | undefined, () => string][] = [
        ["sarif", options.sarif, () => expectSarif(held, file)],
        ["junit", options.junit, () => expectJunit(held, file, paths, diagnosed(PLAIN, REPORT_COLUMNS))],
      ];
      const instead = reports.find(([, target]) => target === true || target === "-");
      if (instead !== undefined) surface.write(instead[2]());
      else {
        const { style, width } = surface;
        const told = diagnosed(style, (width ?? REPORT_COLUMNS) - MARGIN);
        surface.page(expectText(held, { style, lang, file, paths, width, diagnosed: told }));
      }
      for (const [name, target, text] of reports) {
        if (typeof target !== "string" || target === "-") continue;
        try {
          writeFileSync(target, text());
        } catch (error) {
          throw new Failure(EXIT.cannotWrite, message("error.option", { name, value: target, why: reason(error) }));
        }
      }
      surface.finish(held.some((h) => h.result === "broken") ? 1 : held.some((h) => h.result !== "holds") ? 2 : 0);
    });
};

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const isFolder = (error as NodeJS.ErrnoException).code === "EISDIR";
    const why = isFolder ? message("error.expectations-first") : reason(error);
    throw new Failure(EXIT.noInput, message("error.of-path", { path: file, why }));
  }
}
