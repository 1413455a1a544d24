import * as z from "zod";

export const verdict = z.enum(["reachable", "unreachable", "intermittent", "undetermined"]);

export const line = z.object({
  file: z.string(),
  line: z.int(),
  text: z.string().nullable(),
  uri: z.string().optional().describe("Read this resource for the line; end it in `3-9` for the lines around."),
});

export const needed = z.object({
  id: z.string().describe("The fact's id, for `assume`."),
  what: z.string(),
  node: z.string().nullable().describe("Where to run it."),
  command: z.string().describe("Run this one command and pass what it prints as `pasted`."),
  outcomes: z.array(z.object({ value: z.string(), verdict })).describe("What the answer becomes for each value."),
});

export const fix = z.object({
  code: z.string(),
  summary: z.string(),
  where: z.array(z.string()),
  commands: z.array(z.string()),
  undo: z.array(z.string()),
  costs: z.array(z.string()),
  remarks: z.array(z.string()),
  verdictWithIt: verdict.describe("What the same walk says with this change made."),
  flowsChecked: z.int(),
  flowsChanged: z.int().describe("Other flows whose fate it changes."),
});

export const leftOut = z
  .record(z.string(), z.int())
  .describe("How many entries of which list were left out to keep the answer short.");

/** The `outputSchema` of a tool's answer. */
export const next = z.string().describe("What to ask next.");
