import { isStopped, kubectlOf } from "@hairpin/collect/index.ts";
import { Askable, diagnose, type QuestionOptions } from "@hairpin/core/diagnose/index.ts";
import { say, type Text, text } from "@hairpin/core/messages/index.ts";
import type { PlacedLine } from "@hairpin/core/remedy/index.ts";
import { LIVE } from "../case/from-cluster.ts";
import { LIMITS } from "../case/limits.ts";
import { loadCase } from "../case/load.ts";
import type { Surface } from "../commands/command.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { accessOf } from "../kubectl/access-of.ts";
import { kubectlGlobals } from "../kubectl/globals.ts";
import { interruptible } from "../kubectl/interruptible.ts";
import { namespaceOf } from "../kubectl/namespace-of.ts";
import { printable } from "../report/style.ts";
import { readNow } from "./reading.ts";

export interface GuardLive extends QuestionOptions {
  readonly fix?: string;
  readonly yes?: boolean;
  readonly assume: readonly string[];
  readonly context?: string;
  readonly kubeconfig?: string;
}

const LIVES = 120;
const linesOf = (all: readonly PlacedLine[], node: string): readonly string[] =>
  all.filter((l) => l.stack === node).map((l) => l.line);

/**
 * A proved fix put in place through the access by which the cluster was read. Without --yes it says what it would do and how that is taken back. With
 * it the same is said first; the question is then asked again, and unless the flow works all is taken back.
 */
export async function guardLive(options: GuardLive, surface: Surface): Promise<void> {
  const { fix: code } = options;
  if (options.from === undefined || options.to === undefined)
    throw new Failure(EXIT.usage, text("error.live-question"));
  if (code === undefined) throw new Failure(EXIT.usage, text("guard.which-fix"));
  const told = (said: Text) => surface.write(`${printable(say(said, surface.lang))}\n`);
  const askable = new Askable(loadCase([LIVE], LIMITS, options), options.assume);
  const { fixes } = diagnose(askable, options);
  const fix = fixes.find((f) => f.code === code);
  const known = fixes.map((f) => f.code);
  if (fix === undefined)
    throw new Failure(
      EXIT.usage,
      text("guard.no-such-fix", { fix: code, known: known.length > 0 ? known : text("guard.no-fix") }),
    );
  if (fix.proof.verdict !== "reachable")
    throw new Failure(EXIT.badData, text("guard.not-proved", { fix: code, verdict: fix.proof.verdict }));
  const { commands, undo } = fix.placed;
  const isNode = (name: string) => askable.world.stacks.some((s) => s.name === name && s.kind === "node");
  const elsewhere = [...commands, ...undo].filter((l) => !isNode(l.stack));
  if (elsewhere.length > 0)
    throw new Failure(
      EXIT.badData,
      elsewhere.map(({ line }) => text("guard.live-elsewhere", { line })),
    );
  const nodes = [...new Set(commands.map((c) => c.stack))];
  told(text("guard.plan", { code, node: nodes.join(", "), summary: say(fix.summary, surface.lang) }));
  told(text("guard.proof", { verdict: fix.proof.verdict }));
  for (const [head, lines] of [
    ["guard.live-undo", undo],
    ["guard.would", commands],
  ] as const) {
    told(text(head));
    for (const { stack, line } of lines) surface.write(`  ${printable(`${stack}: ${line}`)}\n`);
  }
  if (options.yes !== true) {
    told(text("guard.live-yes"));
    return surface.finish(0);
  }
  const works = await interruptible(() => done(options, { nodes, commands, undo }, surface, told));
  surface.finish(works ? 0 : 1);
}

interface Change {
  readonly nodes: readonly string[];
  readonly commands: readonly PlacedLine[];
  readonly undo: readonly PlacedLine[];
}

/** Whether the flow works with it; if it does not, it is taken back. */
async function done(
  options: GuardLive,
  { nodes, commands, undo }: Change,
  surface: Surface,
  told: (said: Text) => void,
): Promise<boolean> {
  const globals = kubectlGlobals(options);
  const kubectl = kubectlOf(globals);
  const access = accessOf({ globals, namespace: await namespaceOf(kubectl), lives: LIVES, verbose: false }, surface);
  const complain = (line: string) => surface.complain(printable(line));
  const begun: string[] = [];
  try {
    await access.survey();
    const takeBack = async () => {
      for (const node of begun.reverse()) {
        const why = await access.change(node, linesOf(undo, node), "all");
        told(why === undefined ? text("guard.live-taken-back", { node }) : text("guard.live-failed", { node, why }));
      }
    };
    for (const node of nodes) {
      if (isStopped()) break;
      begun.push(node);
      const why = await access.change(node, linesOf(commands, node), "until one fails");
      if (why === undefined) continue;
      told(text("guard.live-failed", { node, why }));
      await takeBack();
      return false;
    }
    if (isStopped()) {
      await takeBack();
      return false;
    }
    const asked = { question: options, assume: options.assume };
    const { gathering } = await readNow({ kubectl, access, asked, nodes: true, complain, told: () => {} });
    const { verdict } = diagnose(new Askable(gathering.loaded(), []), options).judgement;
    told(text("guard.live-now", { verdict: text(`verdict.${verdict}`) }));
    if (verdict === "reachable" && !isStopped()) return true;
    await takeBack();
    return false;
  } finally {
    await access.close();
  }
}
