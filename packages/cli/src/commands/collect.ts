import { notBuiltYet } from "./not-built-yet.ts";

export const collect = notBuiltYet("collect", "[nodes...]", "reads this node, or others by ssh, into one bundle");
