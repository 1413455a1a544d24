import type { CauseCode } from "../code.ts";
import { conntrackLessons } from "./conntrack.ts";
import { ipv6Lessons } from "./ipv6.ts";
import type { Lesson } from "./lesson.ts";
import { linkLessons } from "./link.ts";
import { netfilterLessons } from "./netfilter.ts";
import { routingLessons } from "./routing.ts";
import { serviceLessons } from "./service.ts";

/** A lesson for every cause: the compiler asks for the one that is missing. */
export const LESSONS: Readonly<Record<CauseCode, Lesson>> = {
  ...routingLessons,
  ...netfilterLessons,
  ...conntrackLessons,
  ...serviceLessons,
  ...linkLessons,
  ...ipv6Lessons,
};
