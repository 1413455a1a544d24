import { notBuiltYet } from "./not-built-yet.ts";

export const diagnose = notBuiltYet(
  "diagnose",
  "[case...]",
  "can FROM reach TO, and does the answer come back: verdict, causes, fixes with proof",
);
