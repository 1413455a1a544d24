import { lookup } from "../model/lookup.ts";
import type { ClientSees } from "../trace/index.ts";

/** What a client of the walk may see where a capture, a tool or the asker shows this. */
export const SYMPTOMS: Readonly<Record<string, readonly ClientSees[]>> = lookup({
  refused: ["refused"],
  "refused-icmp": ["refused"],
  timeout: ["timeout", "stalled"],
  waiting: ["timeout", "stalled"],
  stalled: ["stalled", "timeout"],
  reset: ["reset", "stalled"],
  unreachable: ["unreachable"],
  unanswered: ["timeout"],
  "answer-unheard": ["timeout", "stalled"],
  "answer-lost": ["timeout"],
  "answer-refused": ["timeout", "reset"],
  works: ["connected"],
});
