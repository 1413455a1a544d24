import type { CauseCode } from "@hairpin/core/explain/index.ts";
import {
  happensIn,
  LESSONS,
  mistakenFor,
  NO_CURE,
  type Room,
  seenBy,
  titleOf,
  WORKED_CASES,
} from "@hairpin/core/explain/lessons/index.ts";
import { type Lang, type MessageId, say, sayTemplate, text } from "@hairpin/core/messages/index.ts";
import { PICTURES } from "@hairpin/core/messages/pictures.ts";
import { REMEDIES } from "@hairpin/core/remedy/index.ts";

/** A cause as it is taught, in one language: what `hairpin explain CODE --json` prints. */
export interface ToldLesson {
  readonly code: CauseCode;
  readonly room: Room;
  readonly title: string;
  readonly happens: string;
  readonly kernel: readonly string[];
  readonly picture: string;
  readonly see: { readonly text: string; readonly commands: readonly string[] };
  readonly cures: readonly { readonly fix: string; readonly text: string }[];
  /** What to do where no fix of the catalogue cures it. */
  readonly instead: string | null;
  readonly notToBeTakenFor: string;
  readonly surest: "proven" | "inferred" | "possible";
  readonly cases: readonly string[];
}

export function lessonOf(code: CauseCode, lang: Lang): ToldLesson {
  const { room, kernel, picture, see, surest } = LESSONS[code];
  const instead = NO_CURE[code];
  return {
    code,
    room,
    title: say(titleOf(code), lang),
    happens: say(happensIn(code), lang),
    kernel,
    picture: PICTURES[picture].replace(/^\n/, ""),
    see: { text: say(seenBy(code), lang), commands: see },
    cures: REMEDIES.filter((r) => r.cures.includes(code)).map((r) => ({
      fix: r.code,
      text: sayTemplate(`fix.${r.code.toLowerCase()}` as MessageId, lang),
    })),
    instead: instead === undefined ? null : say(instead, lang),
    notToBeTakenFor: say(mistakenFor(code), lang),
    surest,
    cases: WORKED_CASES[code] ?? [],
  };
}

export const roomTitle = (room: Room, lang: Lang): string => say(text(`lesson.room.${room}`), lang);
