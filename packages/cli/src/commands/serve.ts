import { notBuiltYet } from "./not-built-yet.ts";

export const serve = notBuiltYet("serve", "[case...]", "the page, on loopback");
