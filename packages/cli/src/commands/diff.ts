import { PROXY_MODES } from "@hairpin/core/assemble/index.ts";
import { differs } from "@hairpin/core/compare/index.ts";
import type { Lang } from "@hairpin/core/messages/index.ts";
import { jsonText } from "@hairpin/core/messages/printable.ts";
import { Option } from "commander";
import { comparisonOf, type Sides } from "../case/compared.ts";
import { loadCase } from "../case/load.ts";
import { langOption } from "../lang.ts";
import { diffJson } from "../report/diff-json.ts";
import { diffText } from "../report/diff-text.ts";
import type { Register } from "./command.ts";

interface Options extends Sides {
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly lang?: Lang;
}

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

export const diff: Register = (program, surface) => {
  program
    .command("diff")
    .summary("what differs between two nodes or two moments, in meaning")
    .description(
      "Which packets fare otherwise in B than in A, and by which rule, set entry, route, sysctl or virtual server. Order, names of chains, counters and remarks that decide nothing are no difference. A and B are cases; with one case, two of its nodes (--node-a, --node-b), before and after a change where its dumps say which they are, what kube-proxy should have programmed from the objects and what is there (--expected), or what changes when kube-proxy moves to another mode (--mode nftables).\n\nExit status: 0 no difference in meaning, 1 there is one or it could not be decided, 64 and up for bad use or unreadable input.",
    )
    .argument("<case...>", "A and B: each a folder, a bundle (.tar.gz), a transcript or a file; or one case")
    .option("--node-a <name>", "the node of A")
    .option("--node-b <name>", "the node of B")
    .option(
      "--expected",
      "one case with objects: how kube-proxy should have programmed its nodes, against how they are",
    )
    .addOption(
      new Option(
        "--mode <mode>",
        "one case with objects: its nodes as they are, against kube-proxy in that mode, from the same objects",
      ).choices(PROXY_MODES),
    )
    .option("--assume <id=value>", "settle an open fact on both sides; may be given again", collect, [])
    .option("-v, --verbose", "also what differs in text only, and what could not be compared")
    .option("--json", "print one JSON object")
    .addOption(langOption())
    .action((paths: string[], options: Options) => {
      const { a, b, comparison } = comparisonOf(paths, options, (path) => loadCase([path]));
      surface.page(
        options.json
          ? `${jsonText(diffJson(comparison, a, b), 2)}\n`
          : diffText(comparison, a, b, {
              style: surface.style,
              lang: options.lang ?? surface.lang,
              verbose: options.verbose === true,
              byFlow: options.mode !== undefined,
            }),
      );
      const otherwise = options.mode === undefined ? differs(comparison) : comparison.differences.length > 0;
      surface.finish(otherwise ? 1 : 0);
    });
};
