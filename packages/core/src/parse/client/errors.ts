import type { SymptomResult } from "../../model/index.ts";

/** Error texts of libc and of the tools, by what they mean. */
const TEXTS: readonly (readonly [RegExp, SymptomResult])[] = [
  [/connection refused/i, "refused"],
  [/port unreachable/i, "refused"],
  [
    /no route to host|host (?:is )?unreachable|destination host unreachable|network is unreachable|net unreachable|destination net|unreachable/i,
    "unreachable",
  ],
  [/connection reset by peer|reset by peer|connection was reset|recv failure: .*reset/i, "reset"],
  [
    /could ?n[o']t resolve|unknown host|name or service not known|bad address|temporary failure in name resolution|can't find|nxdomain|server can.t find|no address associated|servfail|name does not resolve/i,
    "no-name",
  ],
  [/timed? ?out|no servers could be reached|timeout|couldn't connect to server within/i, "timeout"],
  [/empty reply from server|connection closed by foreign host|transfer closed/i, "reset"],
  [/operation not permitted|permission denied|invalid argument/i, "other"],
];

export const resultOf = (text: string): SymptomResult | undefined => TEXTS.find(([pattern]) => pattern.test(text))?.[1];
