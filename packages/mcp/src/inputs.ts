import * as z from "zod";
import type { CaseRequest } from "./engine.ts";

const word = z.string().min(1).max(1_000);
const oneOrMore = z.union([word, z.array(word).min(1).max(50)]);

/** Which files are asked. */
export const caseShape = {
  case: oneOrMore.describe(
    "Path of the case, under one of the server's roots: a folder of dumps, a bundle (.tar.gz, .zip …), a pasted terminal session or a kubectl dump; or a list of loose files.",
  ),
  pasted: z
    .array(
      z.strictObject({
        command: word.describe("The command as it was run, e.g. `sysctl net.ipv4.conf.eth0.rp_filter`."),
        output: z.string().max(2_000_000).describe("What it printed, unchanged."),
        node: word.optional().describe("The node it was run on; needed where the case has several."),
      }),
    )
    .max(20)
    .optional()
    .describe(
      "Output of commands that an earlier answer asked for. It counts as evidence beside the case's own files.",
    ),
};

/** Who asks whom. What is left out is taken from the case's own case.yaml. */
export const questionShape = {
  from: word
    .optional()
    .describe("Who asks: an address, pod/NS/NAME, node/NAME, stack/NAME, a bare name, or `external`."),
  to: word
    .optional()
    .describe(
      "What is asked: ADDRESS:PORT, svc/NS/NAME[:PORT], pod/NS/NAME:PORT, node/NAME:PORT, NAME.NS.svc:PORT or a URL; no port for icmp.",
    ),
  proto: z.enum(["tcp", "udp", "sctp", "icmp"]).optional().describe("tcp unless said otherwise."),
  via: z
    .enum(["clusterip", "nodeport", "loadbalancer", "external"])
    .optional()
    .describe("By which of a Service's addresses."),
  node: word.optional().describe("The node at which a packet from outside arrives."),
  in: word.optional().describe("The device by which a packet from outside arrives."),
  bind: word.optional().describe("Device or address the client binds, as `curl --interface` does."),
  sport: z.int().min(0).max(65_535).optional().describe("The source port; the whole ephemeral range otherwise."),
  size: z.int().min(0).max(65_535).optional().describe("Bytes of the first data packet, where size matters (MTU)."),
  family: z.enum(["4", "6", "both"]).optional().describe("Which addresses, where there are both: 4, 6 or both."),
  sees: z
    .enum(["works", "timeout", "refused", "unreachable", "reset", "stalled", "intermittent", "slow"])
    .optional()
    .describe("What the client sees now: evidence like any other."),
};

export const assumeShape = {
  assume: z
    .array(word)
    .max(50)
    .optional()
    .describe("Facts to take as settled, ID=VALUE, with the ids of `needs` of an earlier answer."),
};

const QUESTION = Object.keys(questionShape);

/** The question alone, out of a tool's arguments. */
export const questionOf = (input: Readonly<Record<string, unknown>>): Readonly<Record<string, string | number>> =>
  Object.fromEntries(
    Object.entries(input).flatMap(([name, value]) =>
      QUESTION.includes(name) && (typeof value === "string" || typeof value === "number")
        ? [[name, value] as const]
        : [],
    ),
  );

export const caseOf = (input: {
  readonly case: string | readonly string[];
  readonly pasted?: CaseRequest["pasted"] | undefined;
}): CaseRequest => ({
  paths: typeof input.case === "string" ? [input.case] : input.case,
  pasted: input.pasted ?? [],
});
