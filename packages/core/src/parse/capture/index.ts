import type { Dialect } from "../dialect.ts";
import { claim } from "./claim.ts";
import { readCapture } from "./text.ts";

const toolOf = (words: readonly string[]): string => (words[0] ?? "").slice((words[0] ?? "").lastIndexOf("/") + 1);

export const dialects: readonly Dialect[] = [
  {
    id: "tcpdump",
    title: "tcpdump",
    printedBy: (words) => ["tcpdump", "tshark"].includes(toolOf(words)),
    claim,
    read: readCapture,
  },
];
