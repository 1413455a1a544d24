import { notBuiltYet } from "./not-built-yet.ts";

export const diff = notBuiltYet("diff", "[cases...]", "what differs between two nodes or two moments, in meaning");
