import { expect, test } from "vitest";
import { isEllipsis } from "./ellipsis.ts";

test.each([
  ..."... … [...] <...> (…) #... ***".split(" "),
  "* * *",
  "... 20 more rules ...",
  "…省略…",
  "省略",
  "（省略）".slice(1, 3),
  "[snip]",
  "[SNIP!]",
  "<snipped>",
  "--- snip ---",
  "-- More --",
  "--More--(42%)",
  "(output omitted)",
  "output omitted",
  "(12 lines omitted)",
  "# truncated",
  "omitted for brevity",
  "cut",
  "--",
])("%s: something was left out", (text) => expect(isEllipsis(text)).toBe(true));

test.each([
  "",
  "-A FORWARD -j DROP",
  "more  all  --  10.0.0.0/8  anywhere",
  "snip  tcp  --  0.0.0.0/0  0.0.0.0/0",
  "cut DOWN",
  "more0: flags=4163<UP,BROADCAST>",
  "truncated-ip - 20 bytes missing! 10.0.0.1 > 10.0.0.2",
  "# more than one default route",
  "default via 10.0.0.1 dev eth0",
  "-- src 10.0.0.1",
])("%s: is said", (text) => expect(isEllipsis(text)).toBe(false));
