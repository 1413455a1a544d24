import { explain } from "@hairpin/core/explain/index.ts";
import { judge } from "@hairpin/core/trace/index.ts";
import { Askable, type QuestionOptions } from "../case/ask.ts";
import { loadCase } from "../case/load.ts";
import { diagnosisJson } from "../report/diagnosis-json.ts";
import { diagnosisText } from "../report/diagnosis-text.ts";
import type { Register } from "./command.ts";
import { withQuestionOptions } from "./question-options.ts";

interface Options extends QuestionOptions {
  readonly assume: readonly string[];
  readonly try: readonly string[];
  readonly json?: boolean;
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
  ).action((paths: string[], options: Options) => {
    const askable = new Askable(loadCase(paths), options.assume);
    const asked = askable.ask(options);
    const judged = judge(asked.exploration);
    const suspected = askable.suspicions(asked);
    const doubts = suspected.map((c) => `${c.code} is possible: ${c.summary}`);
    const unexplained = judged.verdict === "reachable" ? [...askable.unexplained(asked), ...doubts] : [];
    const contradictions = judged.verdict === "unreachable" ? askable.successes(asked) : unexplained;
    const judgement =
      unexplained.length === 0
        ? judged
        : {
            ...judged,
            verdict: askable.showsBoth(asked) ? ("intermittent" as const) : ("undetermined" as const),
            reachableShare: null,
            clientSees: null,
          };
    const tried = options.try.map((patch) => {
      const { world, commands } = askable.patched(patch);
      return { patch, commands, judgement: judge(askable.ask(options, world).exploration) };
    });
    const found = asked.question === undefined ? [] : explain(asked.question, asked.exploration, judged);
    const causes = [...found, ...suspected];
    const diagnosis = { asked, judgement, causes, contradictions, tried };
    const quote = (file: string, line: number) => askable.quote(file, line);
    surface.write(
      options.json
        ? `${JSON.stringify(diagnosisJson(diagnosis, quote), null, 2)}\n`
        : diagnosisText(diagnosis, quote, surface.style),
    );
    surface.finish(STATUS[judgement.verdict]);
  });
};
