import type { Dialect } from "../dialect.ts";
import { isTool, tool } from "../not-read-yet/not-read-yet.ts";
import { claim, claimTrace, printsKernelLog } from "./claim.ts";
import { readNftTrace } from "./nft-trace.ts";
import { readKernelLog } from "./read.ts";

export const dialects: readonly Dialect[] = [
  {
    id: "kernel-log",
    title: "kernel log (LOG, TRACE, martians)",
    printedBy: printsKernelLog,
    claim,
    read: readKernelLog,
  },
  {
    id: "nft-trace",
    title: "nft monitor trace, xtables-monitor",
    printedBy: (words) => (tool(words) === "nft" && words.includes("monitor")) || isTool("xtables-monitor")(words),
    claim: claimTrace,
    read: readNftTrace,
  },
];
