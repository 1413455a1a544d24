import * as z from "zod";
import { cut, LeftOut } from "../bounded.ts";
import type { Engine } from "../engine.ts";
import { assumeShape, caseOf, caseShape, questionOf, questionShape } from "../inputs.ts";
import { leftOut, next } from "../outputs.ts";
import { needsOf } from "../told.ts";
import { answered, READ_ONLY, type Register, withAnswer } from "../tool.ts";

const input = z.strictObject({
  ...caseShape,
  case: caseShape.case.optional().describe("The case so far; leave it out where there is none yet."),
  ...questionShape,
  ...assumeShape,
});

const output = z.object({
  verdict: z.string().nullable().describe("What the case so far says of the question."),
  commands: z
    .array(
      z.object({
        node: z.string().nullable(),
        command: z.string(),
        why: z.string(),
        decides: z.boolean().describe("Its output alone changes the verdict; the others complete the picture."),
      }),
    )
    .describe("In the order in which they help most. All of them only read."),
  wholeNode: z.object({ command: z.string(), why: z.string() }),
  leftOut,
  next,
});

const WHOLE = {
  command: "hairpin collect --script > collect.sh; sh collect.sh -o bundle.tar.gz",
  why: "run as root on each node that the flow passes, it gathers everything that is read into one bundle; it only reads",
};

/** Where there is nothing yet: what shows most of a node for the least typing. */
const FIRST = [
  ["iptables-save; nft list ruleset", "the rules"],
  ["ip -d addr; ip rule; ip route show table all", "devices, addresses and routes"],
  ["sysctl -a", "forwarding, rp_filter, bridge and conntrack settings"],
  ["ipvsadm -Sn; ipset save", "kube-proxy's ipvs mode and sets"],
  ["ss -tuanp", "who listens"],
  [
    "kubectl get svc,endpointslice,node,pod,networkpolicy -A -o yaml",
    "Services and what should be programmed for them",
  ],
] as const;

interface Wanted {
  readonly node: string | null;
  readonly command: string;
  readonly why: string;
  readonly decides: boolean;
}

export const whatToCollect: Register = (server, engine) => {
  server.registerTool(
    "what_to_collect",
    {
      title: "Which commands to run next",
      description:
        "The commands whose output is missing for an answer, most decisive first; all of them only read. Run them, and pass what they print as `pasted` to diagnose.",
      inputSchema: input,
      outputSchema: output,
      annotations: READ_ONLY,
    },
    ({ case: given, ...args }) => {
      if (given === undefined)
        return told(
          null,
          FIRST.map(([command, why]) => ({ node: null, command, why, decides: false })),
        );
      const asked = { case: given, ...args };
      return withAnswer(engine, engine.check({ ...caseOf(asked), node: undefined }), (found) => {
        const missing = found.missing.map((m) => ({
          node: m.node ?? null,
          command: m.command,
          why: `${m.what}: ${m.why}`,
          decides: false,
        }));
        // Without a question there is no flow to settle: what is missing in general is the answer then.
        const open = wantedBy(engine, asked);
        return told(open.verdict, [...open.commands, ...missing]);
      });
    },
  );
};

function wantedBy(
  engine: Engine,
  args: Parameters<typeof caseOf>[0] & { readonly assume?: readonly string[] | undefined },
): { readonly verdict: string | null; readonly commands: readonly Wanted[] } {
  const answer = engine.diagnose({
    ...caseOf(args),
    question: questionOf({ ...args }),
    assume: args.assume ?? [],
    try: [],
  });
  if (!answer.ok) return { verdict: null, commands: [] };
  const decisive = new Set(answer.value.decisiveFacts.map((f) => f.fact));
  return {
    verdict: answer.value.verdict,
    commands: needsOf(answer.value, engine).map(({ id, node, command, what }) => ({
      node,
      command,
      why: what,
      decides: decisive.has(id),
    })),
  };
}

function told(verdict: string | null, wanted: readonly Wanted[]) {
  const left = new LeftOut();
  const once = new Map<string, Wanted>();
  for (const w of wanted) {
    const key = `${w.node}\n${w.command}`;
    if (!once.has(key)) once.set(key, w);
  }
  const commands = left
    .take("commands", [...once.values()], 20)
    .map((w) => ({ ...w, command: cut(w.command, 1_000), why: cut(w.why) }));
  const [first] = commands;
  const answer = {
    verdict,
    commands,
    wholeNode: WHOLE,
    leftOut: left.counts,
    next:
      first === undefined
        ? "nothing is missing: ask diagnose"
        : "run these, the first one first, and pass each output as `pasted` to diagnose",
  };
  return answered(
    [
      ...(verdict === null ? [] : [`So far: ${verdict}`]),
      ...commands.slice(0, 8).map((c) => `${c.node === null ? "" : `${c.node}: `}${c.command}   (${c.why})`),
      `Next: ${answer.next}`,
    ]
      .map((l) => cut(l))
      .join("\n"),
    answer,
  );
}
