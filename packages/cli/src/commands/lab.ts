import { notBuiltYet } from "./not-built-yet.ts";

export const lab = notBuiltYet("lab", "[case...]", "asks the same question of a real kernel");
