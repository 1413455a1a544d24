import { notBuiltYet } from "./not-built-yet.ts";

export const instrument = notBuiltYet(
  "instrument",
  "[case...]",
  "the LOG and TRACE rules and tcpdump filters that would settle a question",
);
