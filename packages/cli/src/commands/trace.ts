import { notBuiltYet } from "./not-built-yet.ts";

export const trace = notBuiltYet("trace", "[case...]", "every step of every branch of a packet, there and back");
