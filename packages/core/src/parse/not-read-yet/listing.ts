import type { Claim, Dialect } from "../dialect.ts";
import { isTool, notReadYet, when } from "./not-read-yet.ts";

const LONG = /^[-dlcbps][-rwxsStT]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+\d/;

/** A directory that lacks an entry can be evidence: no /proc/sys/net/bridge, no br_netfilter. */
export const dialects: readonly Dialect[] = [
  notReadYet({
    id: "listing",
    title: "ls",
    what: "a directory listing",
    printedBy: isTool("ls", "ll", "tree", "find"),
    claim: (line): Claim =>
      LONG.test(line) ? "line" : when(/^(?:total \d+|[\w./@-]+(?:\s+[\w./@-]+)*)\s*$/.test(line), "maybe"),
  }),
];
