import * as z from "zod";
import { cut, LeftOut, MOST } from "../bounded.ts";
import type { Sweep } from "../engine.ts";
import { assumeShape } from "../inputs.ts";
import { leftOut, next, verdict } from "../outputs.ts";
import { answered, READ_ONLY, type Register, withAnswer } from "../tool.ts";

const words = z.array(z.string().min(1).max(300)).max(20);
const input = z.strictObject({
  case: z.string().min(1).max(1_000).describe("The case, under one of the server's roots."),
  from: words
    .optional()
    .describe(
      "Only these sources: pod, endpoint, node, external, loadbalancer, host, or names with globs (pod/shop/*).",
    ),
  to: words
    .optional()
    .describe(
      "Only these targets: service, dns, apiserver, pod, kubelet, clusterip, nodeport, external, loadbalancer, or names with globs (svc/shop/*).",
    ),
  node: words.optional().describe("Only flows with an end on these nodes; globs."),
  namespace: words.optional().describe("Only flows with an end in these namespaces; globs."),
  verdict: verdict.optional().describe("Of the classes, only those with this verdict."),
  page: z.int().min(1).max(10_000).optional().describe("Which page of the classes, from 1."),
  ...assumeShape,
});

const asked = z.object({ from: z.string(), to: z.string(), proto: z.string(), node: z.string().optional() });

const output = z.object({
  flows: z.int().describe("Flows that were asked."),
  complete: z
    .boolean()
    .describe("False: there are more flows than one call walks; narrow it by from, to, node or namespace."),
  verdicts: z
    .record(z.string(), z.int())
    .describe("Flows by verdict; `leaning`: undetermined, and nothing shown stops them."),
  causes: z.array(
    z.object({
      code: z.string(),
      at: z.string(),
      summary: z.string(),
      flows: z.int(),
      example: asked.describe("Pass it to diagnose."),
      fix: z.object({ commands: z.array(z.string()), heals: z.int() }).nullable(),
    }),
  ),
  undecided: z.array(z.object({ fact: z.string(), command: z.string().nullable(), flows: z.int() })),
  classes: z.array(
    z.object({
      from: z.string(),
      to: z.string(),
      flows: z.int().describe("How many flows the class stands for."),
      verdict,
      clientSees: z.string().nullable(),
      causes: z.array(z.string()),
      example: asked,
    }),
  ),
  page: z.int(),
  pages: z.int(),
  leftOut,
  next,
});

const PAGE = 20;

export const sweep: Register = (server, engine) => {
  server.registerTool(
    "sweep",
    {
      title: "Every flow of a case at once",
      description:
        "Asks every pod, node, load balancer and somebody outside against every Service address, pod, DNS, API server and kubelet of a case. Failures by cause with how many flows each breaks, the facts that would decide what is open, and the classes of flow in pages. Use it when no flow is named, or to see what else a cause breaks.",
      inputSchema: input,
      outputSchema: output,
      annotations: READ_ONLY,
    },
    ({ case: path, page = 1, verdict: only, assume = [], ...wanted }) =>
      withAnswer(
        engine,
        engine.sweep({ path, assume, ...wanted }),
        (found) => told(found, page, only),
        "name a case under one of the roots",
      ),
  );
};

function told(found: Sweep, page: number, only: string | undefined) {
  const left = new LeftOut();
  const classes = only === undefined ? found.classes : found.classes.filter((c) => c.verdict === only);
  const pages = Math.max(1, Math.ceil(classes.length / PAGE));
  const causes = left.take("causes", found.causes, 10).map((c) => ({
    code: c.code,
    at: cut(c.at, MOST.quote),
    summary: cut(c.summary),
    flows: c.flows,
    example: c.example,
    fix: c.fix === null ? null : { commands: c.fix.commands.slice(0, 6).map((l) => cut(l)), heals: c.fix.heals },
  }));
  const answer = {
    flows: found.answered,
    complete: found.complete,
    verdicts: found.verdicts,
    causes,
    undecided: left.take("undecided", found.undecided, 8).map((u) => ({
      fact: cut(u.fact, MOST.quote),
      command: u.command === null ? null : cut(u.command),
      flows: u.flows,
    })),
    classes: classes.slice((page - 1) * PAGE, page * PAGE).map((c) => ({
      from: cut(`${c.from.kind} (${c.from.example})`, MOST.quote),
      to: cut(`${c.to.service ?? c.to.address}:${c.to.port}${c.to.via === null ? "" : ` by ${c.to.via}`}`, MOST.quote),
      flows: c.flows,
      verdict: c.verdict as z.infer<typeof verdict>,
      clientSees: c.clientSees,
      causes: c.causes.slice(0, 4).map((x) => x.code),
      example: c.example,
    })),
    page,
    pages,
    leftOut: left.counts,
    next:
      causes.length > 0
        ? "diagnose the example of a cause"
        : found.undecided.length > 0
          ? "run the command of the first undecided fact, and diagnose an example with its output"
          : "nothing fails",
  };
  const lines = causes.slice(0, 5).map((c) => `${c.code} at ${c.at}: ${c.flows} flows`);
  const head = `${found.answered} flows: ${Object.entries(found.verdicts)
    .map(([word, n]) => `${n} ${word}`)
    .join(", ")}`;
  return answered([head, ...lines, `Next: ${answer.next}`].map((l) => cut(l, MOST.text)).join("\n"), answer, []);
}
