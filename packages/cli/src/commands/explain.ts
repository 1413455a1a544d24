import { CAUSE_CODES, type CauseCode } from "@hairpin/core/explain/index.ts";
import { LESSONS, titleOf } from "@hairpin/core/explain/lessons/index.ts";
import { type Lang, say, text } from "@hairpin/core/messages/index.ts";
import { jsonText } from "@hairpin/core/messages/printable.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { langOption } from "../lang.ts";
import { lessonOf } from "../report/lesson.ts";
import { lessonsText, lessonText } from "../report/lesson-text.ts";
import type { Register } from "./command.ts";

interface Options {
  readonly json?: boolean;
  readonly lang?: Lang;
}

export const explain: Register = (program, surface) => {
  program
    .command("explain")
    .summary("what a cause means: what the kernel does, how to see it, what cures it")
    .description(
      "Teaches a cause that answers name by its code: what happens in the kernel and in which function, a picture, commands that show it on a node, what cures it, what it is not to be confused with, how sure an answer can be, and which bundled case shows it. Without a code, all causes are listed.\n\nExit status: 0, or 64 where there is no such cause.",
    )
    .argument("[code]", "a cause, such as RP_FILTER_STRICT; upper or lower case")
    .option("--json", "print one JSON object")
    .addOption(langOption())
    .action((asked: string | undefined, options: Options) => {
      const lang = options.lang ?? surface.lang;
      if (asked === undefined) {
        surface.write(options.json ? `${jsonText({ causes: listed(lang) }, 2)}\n` : lessonsText(surface.style, lang));
      } else {
        const lesson = lessonOf(codeOf(asked, lang), lang);
        surface.write(options.json ? `${jsonText(lesson, 2)}\n` : lessonText(lesson, surface.style, lang));
      }
      surface.finish(0);
    });
};

const listed = (lang: Lang) =>
  CAUSE_CODES.map((code) => ({ code, room: LESSONS[code].room, title: say(titleOf(code), lang) }));

function codeOf(asked: string, lang: Lang): CauseCode {
  const wanted = asked.toUpperCase().replaceAll("-", "_");
  const code = CAUSE_CODES.find((known) => known === wanted);
  if (code !== undefined) return code;
  const near = CAUSE_CODES.filter((known) => wanted.length > 2 && known.includes(wanted));
  throw new Failure(
    EXIT.usage,
    say(
      near.length > 0
        ? text("lesson.unknown-code.near", { code: asked, near: [...near] })
        : text("lesson.unknown-code", { code: asked }),
      lang,
    ),
  );
}
