import * as z from "zod";
import { cut, LeftOut, MOST } from "../bounded.ts";
import { assumeShape, caseOf, caseShape, questionOf, questionShape } from "../inputs.ts";
import { fix, leftOut, next, verdict } from "../outputs.ts";
import { fixTold } from "../told.ts";
import { answered, READ_ONLY, type Register, refused, withAnswer } from "../tool.ts";

/** As fixes are called; no command is written so. */
const CODE = /^[A-Z][A-Z0-9_]+$/;

const input = z.strictObject({
  ...caseShape,
  change: z
    .array(z.string().min(1).max(2_000))
    .min(1)
    .max(10)
    .describe(
      "Changes, each judged by itself: a command as one would type it (`NODE: sysctl -w …`, `iptables …`, `ip route add …`, `ipvsadm …`, `ipset …`, `svc/NS/NAME spec.field=value`), the name of a fix in case.yaml, or the code of a fix that diagnose proposes. Nothing is run.",
    ),
  ...questionShape,
  ...assumeShape,
});

const output = z.object({
  before: z.object({ verdict, clientSees: z.string().nullable() }),
  changes: z.array(
    fix.extend({
      flows: z.array(z.string()).describe("The other flows that it changes, in words."),
    }),
  ),
  leftOut,
  next,
});

export const whatIf: Register = (server, engine) => {
  server.registerTool(
    "what_if",
    {
      title: "What becomes of a flow after a change",
      description:
        "Makes a change in the model and walks the same flow again, and the other flows that the change can touch: the verdict with it, what it costs, how to undo it. Judges a fix of yours before anybody runs it.",
      inputSchema: input,
      outputSchema: output,
      annotations: READ_ONLY,
    },
    (args) => {
      const codes = args.change.filter((c) => CODE.test(c));
      return withAnswer(
        engine,
        engine.diagnose({
          ...caseOf(args),
          question: questionOf(args),
          assume: args.assume ?? [],
          try: args.change.filter((c) => !CODE.test(c)),
        }),
        (found) => {
          const left = new LeftOut();
          const typed = found.fixes.length - found.proposed;
          const proposed = found.fixes.slice(typed);
          const unknown = codes.find((c) => !proposed.some((f) => f.code === c));
          if (unknown !== undefined)
            return refused(
              `${unknown} is no fix that is proposed here; there is ${proposed.map((f) => f.code).join(", ") || "none"}`,
              "name one of them, or write the change as a command",
            );
          const tried = [...found.fixes.slice(0, typed), ...proposed.filter((f) => codes.includes(f.code))];
          const changes = left.take("changes", tried, MOST.items).map((f) => ({
            ...fixTold(f, left),
            flows: left.take("flows", f.proof.flowsChanged, 8).map((c) => cut(String(c.detail ?? ""), MOST.quote)),
          }));
          const works = changes.find((c) => c.verdictWithIt === "reachable");
          const answer = {
            before: { verdict: found.verdict, clientSees: found.clientSees },
            changes,
            leftOut: left.counts,
            next:
              works === undefined
                ? "none of these makes the flow work: diagnose names the causes and proved fixes"
                : `propose \`${works.commands.join("; ")}\` with its costs and how to undo it`,
          };
          const lines = changes.map(
            (c) =>
              `With ${c.commands.join("; ")}: ${c.verdictWithIt}; other flows checked: ${c.flowsChecked}, changed: ${c.flowsChanged}`,
          );
          return answered(
            [`Now: ${found.verdict}`, ...lines, `Next: ${answer.next}`].map((l) => cut(l)).join("\n"),
            answer,
          );
        },
        "write the change as the command line takes it, with `NODE: ` before it where there are several nodes",
      );
    },
  );
};
