import { notBuiltYet } from "./not-built-yet.ts";

export const guard = notBuiltYet("guard", "[node...]", "keeps a chosen fix in place on a node");
