import { CAUSE_CODES } from "@hairpin/core/explain/index.ts";
import { LESSONS, ROOMS, titleOf } from "@hairpin/core/explain/lessons/index.ts";
import { type Lang, say, text } from "@hairpin/core/messages/index.ts";
import { pad, wrap } from "./layout.ts";
import { roomTitle, type ToldLesson } from "./lesson.ts";
import type { Style } from "./style.ts";

const LONGEST = Math.max(...CAUSE_CODES.map((code) => code.length));

/** Every cause with its title, room by room. */
export function lessonsText(style: Style, lang: Lang): string {
  const lines = [say(text("lesson.list.intro", { count: CAUSE_CODES.length }), lang)];
  for (const room of ROOMS) {
    const codes = CAUSE_CODES.filter((code) => LESSONS[code].room === room);
    lines.push("", style.bold(roomTitle(room, lang)));
    for (const code of codes) lines.push(`  ${pad(code, LONGEST)}  ${say(titleOf(code), lang)}`);
  }
  return `${lines.join("\n")}\n`;
}

/** One cause, taught. */
export function lessonText(lesson: ToldLesson, style: Style, lang: Lang): string {
  const heading = (id: "happens" | "see" | "cures" | "not" | "sure" | "case"): string =>
    style.bold(say(text(`lesson.heading.${id}`), lang));
  const functions = lesson.kernel.length > 0 ? lesson.kernel.join(", ") : text("lesson.no-function");
  const cures = lesson.cures.map(({ text: said }) => said);
  const { instead, cases } = lesson;
  return [
    `${style.bold(lesson.code)}  ${lesson.title}`,
    style.dim(roomTitle(lesson.room, lang)),
    "",
    lesson.picture,
    "",
    heading("happens"),
    ...wrap(lesson.happens, 2),
    ...wrap(say(text("lesson.heading.kernel", { functions }), lang), 2),
    "",
    heading("see"),
    ...wrap(lesson.see.text, 2),
    ...lesson.see.commands.map((command) => `    ${command}`),
    "",
    heading("cures"),
    ...[...cures, ...(instead === null ? [] : [instead])].flatMap((said) => wrap(`- ${said}`, 2, 4)),
    "",
    heading("not"),
    ...wrap(lesson.notToBeTakenFor, 2),
    "",
    heading("sure"),
    ...wrap(say(text(`lesson.sure.${lesson.surest}`), lang), 2),
    "",
    heading("case"),
    ...(cases.length > 0
      ? cases.map((name) => `    hairpin diagnose cases/${name}`)
      : wrap(say(text("lesson.no-case"), lang), 2)),
    "",
  ].join("\n");
}
