import type { Claim, Dialect } from "../dialect.ts";
import { isTool, notReadYet, when } from "./not-read-yet.ts";

const HEAD = /^(?:diff --git |(?:---|\+\+\+) \S+\s+\d{4}-\d\d-\d\d |@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@)/;

/** A diff says of two dumps what differs; neither of them is shown, and its `-A` may be a rule or a line taken away. */
export const dialects: readonly Dialect[] = [
  notReadYet({
    id: "diff",
    title: "diff",
    what: "a comparison of two files",
    printedBy: isTool("diff", "colordiff", "sdiff", "vimdiff"),
    claim: (line): Claim => (HEAD.test(line) ? "head" : when(/^[-+ <>@\\]/.test(line), "maybe")),
  }),
];
