import { assemble } from "@hairpin/core/assemble/index.ts";
import { check as checkCase, isClean, nodesOf } from "@hairpin/core/check/index.ts";
import type { LoadedCase } from "@hairpin/core/diagnose/index.ts";
import { Namer, namesOf } from "@hairpin/core/diagnose/index.ts";
import { type Lang, text } from "@hairpin/core/messages/index.ts";
import { jsonText } from "@hairpin/core/messages/printable.ts";
import { loadCase } from "../case/load.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { langOption } from "../lang.ts";
import { checkJson } from "../report/check-json.ts";
import { checkText } from "../report/check-text.ts";
import { printable } from "../report/style.ts";
import type { Register } from "./command.ts";

interface Options {
  readonly json?: boolean;
  readonly node?: string;
  readonly lang?: Lang;
}

export const check: Register = (program, surface) => {
  program
    .command("check")
    .summary("what was read, what was not understood, contradictions, what is missing")
    .description(
      "Says what was recognised in the files, every line that was not understood, where dumps contradict each other, where a node is not as kube-proxy should have programmed it (with Kubernetes objects), and which commands would supply what is missing for a full answer.\n\nExit status: 0 clean, 1 something was not understood, contradicts itself or is not as it should be, 2 nothing was recognised, 64 and up for bad use or unreadable input.",
    )
    .argument("<path...>", "a folder, a bundle (.tar.gz), a transcript, or loose files; - reads standard input")
    .option("--json", "print one JSON object")
    .option("--node <name>", "only what concerns this node")
    .addOption(langOption())
    .action((paths: string[], options: Options) => {
      const loaded = loadCase(paths);
      const { node } = options;
      const nodes = nodesOf(loaded.reading);
      if (node !== undefined && !nodes.includes(node)) {
        throw new Failure(
          EXIT.usage,
          text("error.check-no-node", { node, names: nodes.length === 0 ? text("error.none") : nodes.join(", ") }),
        );
      }
      const lang = options.lang ?? surface.lang;
      const report = checkCase(loaded.reading, loaded.inputs, node, loaded.caseFile);
      surface.page(
        options.json
          ? `${jsonText(checkJson(report, loaded.notes), 2)}\n`
          : checkText(report, loaded.notes, surface.style, namerOf(loaded, lang), lang),
      );
      surface.finish(!isClean(report) ? 1 : report.dumps.length === 0 ? 2 : 0);
    });
};

/** The World is put together once an address asks for its name. */
function namerOf({ reading, caseFile }: LoadedCase, lang: Lang): (text: string) => string {
  let namer: Namer | undefined;
  return (text) => {
    namer ??= new Namer(namesOf(assemble(reading, caseFile).world), lang, printable);
    return namer.line(text);
  };
}
