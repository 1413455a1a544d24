import { type Text, text } from "../../messages/index.ts";
import type { CauseCode } from "../code.ts";

/** The compiler looks every one of these up in the messages: a cause without a lesson in English or Chinese does not compile. */
type Part = "title" | "happens" | "see" | "not";
type LessonId = `lesson.${Lowercase<CauseCode>}.${Part}`;

const idOf = (code: CauseCode, part: Part): LessonId => `lesson.${code.toLowerCase() as Lowercase<CauseCode>}.${part}`;

export const titleOf = (code: CauseCode): Text => text(idOf(code, "title"));
export const happensIn = (code: CauseCode): Text => text(idOf(code, "happens"));
export const seenBy = (code: CauseCode): Text => text(idOf(code, "see"));
export const mistakenFor = (code: CauseCode): Text => text(idOf(code, "not"));
