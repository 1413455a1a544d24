export { LESSONS } from "./catalogue.ts";
export { type Lesson, ROOMS, type Room } from "./lesson.ts";
export { NO_CURE } from "./no-cure.ts";
export { happensIn, mistakenFor, seenBy, titleOf } from "./texts.ts";
export { WORKED_CASES } from "./worked-cases.ts";
