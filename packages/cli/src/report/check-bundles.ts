import type { CheckReport } from "@hairpin/core/check/index.ts";
import { dumpTitle, type Lang, say, type Text, text } from "@hairpin/core/messages/index.ts";
import { wrap } from "./layout.ts";
import { printable, type Style } from "./style.ts";

const ERRORS: Readonly<Record<CheckReport["bundles"]["bundles"][number]["errors"], Text>> = {
  "in the files": text("bundle.errors-files"),
  "in a log": text("bundle.errors-log"),
  "terminal only": text("bundle.errors-lost"),
};

const MAX_COMMANDS = 40;

/** What support bundles there are, what each kind and each one lacks, and what would complete them. */
export function bundlesText(
  { bundles: { bundles, remarks, commands } }: CheckReport,
  style: Style,
  lang: Lang,
): readonly string[] {
  if (bundles.length === 0) return [];
  const line = (what: Text, indent: number): readonly string[] => wrap(printable(say(what, lang)), indent, indent + 2);
  const unlessNone = (all: readonly string[], what: Text): readonly string[] => (all.length === 0 ? [] : line(what, 4));
  const emptyOf = ({ empty }: (typeof bundles)[number]): readonly string[] => {
    const files = empty.map((e) => `${e.file} (${e.command})`);
    return unlessNone(files, text("bundle.empty", { files }));
  };
  return [
    style.bold(say(text("bundle.heading"), lang)),
    ...bundles.flatMap((b) => [
      ...line(text("bundle.title", { title: dumpTitle(b.kind, b.title, lang), path: b.path }), 2),
      ...unlessNone(b.nodes, text("bundle.nodes", { nodes: b.nodes })),
      ...(b.taken === null ? [] : line(text("bundle.taken", { time: b.taken }), 4)),
      ...unlessNone(b.lacks, text("bundle.lacks", { commands: b.lacks })),
      ...unlessNone(b.missing, text("bundle.missing", { commands: b.missing })),
      ...b.missingOn.flatMap(({ node, command }) => line(text("bundle.missing-on", { node, command }), 4)),
      ...emptyOf(b),
      ...line(ERRORS[b.errors], 4),
    ]),
    ...remarks.flatMap((r) => line(r, 2)),
    ...(commands.length === 0 ? [] : line(text("bundle.complete"), 2)),
    ...commands
      .slice(0, MAX_COMMANDS)
      .flatMap(({ node, command }) =>
        node === null
          ? command.startsWith("kubectl ")
            ? wrap(printable(command), 4, 6)
            : line(text("bundle.on-each", { command }), 4)
          : line(text("bundle.on", { node, command }), 4),
      ),
    "",
  ];
}
