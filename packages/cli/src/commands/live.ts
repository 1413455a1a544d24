import { resolve } from "node:path";
import { agentNamespaces, kubectlOf, mayI, packed, rightsNeeded } from "@hairpin/collect/index.ts";
import { Askable, diagnose, diagnosisJson, type QuestionOptions } from "@hairpin/core/diagnose/index.ts";
import { type Lang, say, type Text, text } from "@hairpin/core/messages/index.ts";
import { jsonText } from "@hairpin/core/messages/printable.ts";
import type { Command } from "commander";
import { loadCase } from "../case/load.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { accessOf } from "../kubectl/access-of.ts";
import { kubectlGlobals } from "../kubectl/globals.ts";
import { inNamespace } from "../kubectl/in-namespace.ts";
import { interruptible } from "../kubectl/interruptible.ts";
import { namespaceOf } from "../kubectl/namespace-of.ts";
import { writeBundle } from "../kubectl/write-bundle.ts";
import { langOption } from "../lang.ts";
import { againJson, againText } from "../live/again.ts";
import { type Read, readNow, stopwatch } from "../live/reading.ts";
import { readable, rightsText } from "../live/rights-text.ts";
import { watched } from "../live/watched.ts";
import { diagnosisText } from "../report/answer/diagnosis-text.ts";
import { printable } from "../report/style.ts";
import type { Register, Surface } from "./command.ts";
import { withQuestionOptions } from "./question-options.ts";

interface Options extends QuestionOptions {
  readonly namespace?: string;
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly nodes: boolean;
  readonly image?: string;
  readonly podNamespace?: string;
  readonly ssh?: string | true;
  readonly keep?: string;
  readonly again?: string;
  readonly watch?: boolean;
  readonly every?: string;
  readonly canI?: boolean;
  readonly assume: readonly string[];
  readonly try: readonly string[];
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly lang?: Lang;
}

const STATUS = { reachable: 0, unreachable: 1, intermittent: 1, undetermined: 2 } as const;
/** Reading a node takes seconds; one that takes longer than this is left out. */
const LIVES = 120;
const EVERY = 10;

/** `hairpin live A B` and `kubectl hairpin A B`. */
export const withLive = (command: Command, surface: Surface): Command =>
  withQuestionOptions(
    command
      .summary("asks a running cluster through kubectl: can FROM reach TO")
      .description(
        "Can FROM reach TO, now? Reads the cluster's objects, then of its nodes and pods those that the round trip meets, all through kubectl and with your rights, and answers. Nodes are read through a privileged pod that is there, or through a pod of Hairpin's own that is removed afterwards; where neither may be, objects alone are asked.\n\nExit status: 0 reachable, 1 unreachable or intermittent, 2 undetermined, 69 no cluster; with --can-i 0 objects and nodes may be read, 1 not.",
      )
      .argument("[from]", "who asks: pod/NAME, node/NAME, an address, external")
      .argument("[to]", "what is asked: svc/NAME[:PORT], pod/NAME:PORT, ADDRESS:PORT"),
  )
    .option("-n, --namespace <name>", "where names without a namespace are looked for (default: that of the context)")
    .option("--context <name>", "the context of kubectl's configuration")
    .option("--kubeconfig <file>", "kubectl's configuration")
    .option("--no-nodes", "objects alone: no node is read")
    .option("--image <image>", "the image of the pod that reads a node (default: one that is on the node)")
    .option("--pod-namespace <name>", "where that pod is made (default: the namespace, then kube-system)")
    .option("--ssh [user]", "read by ssh, as that user, the nodes to which no pod leads (with sudo, unless it is root)")
    .option("--keep <file>", "keep all that was read as a bundle that gives the same answer")
    .option("--again <file>", "ask what was asked in a bundle that was kept, and say what changed since")
    .option("--watch", "ask again and again until interrupted, and say so when the answer changes")
    .option("--every <seconds>", "with --watch: how long to wait in between (default: 10)")
    .option("--can-i", "say which rights that takes and which of them you have, and do nothing")
    .option("-v, --verbose", "all branches, fixes, evidence and assumptions")
    .addOption(langOption())
    .action((from: string | undefined, to: string | undefined, options: Options) =>
      interruptible(() => asked(from, to, options, surface)),
    );

export const live: Register = (program, surface) => {
  withLive(program.command("live"), surface);
};

async function asked(
  from: string | undefined,
  to: string | undefined,
  options: Options,
  surface: Surface,
): Promise<void> {
  const globals = kubectlGlobals(options);
  const kubectl = kubectlOf(globals);
  const lang = options.lang ?? surface.lang;
  const told = (said: Text) => surface.complain(printable(say(said, lang)));
  const namespace = options.namespace ?? (await namespaceOf(kubectl));
  const podNamespace = options.podNamespace ?? namespace;
  if (options.canI) {
    const rights = rightsNeeded(podNamespace, await agentNamespaces(kubectl));
    const answers = await mayI(kubectl, rights);
    if (answers.every((a) => a === undefined)) throw new Failure(EXIT.unavailable, text("error.kubectl-nothing"));
    surface.write(rightsText(rights, answers, lang));
    surface.finish(readable(rights, answers) === "objects and nodes" ? 0 : 1);
    return;
  }
  const earlier = options.again === undefined ? undefined : loadCase([options.again]);
  // What the client saw then is no evidence of now.
  const { sees: _, ...stated }: QuestionOptions = earlier?.caseFile?.question ?? {};
  const who = from ?? options.from ?? stated.from;
  const whom = to ?? options.to ?? stated.to;
  if (who === undefined || whom === undefined) throw new Failure(EXIT.usage, text("error.live-question"));
  const question = { ...stated, ...options, from: inNamespace(who, namespace), to: inNamespace(whom, namespace) };
  const access = accessOf(
    {
      globals,
      namespace: podNamespace,
      lives: LIVES,
      verbose: false,
      ...(options.image === undefined ? {} : { image: options.image }),
      ...(options.ssh === undefined ? {} : { ssh: userOf(options.ssh) }),
    },
    { ...surface, lang },
  );
  const complain = (line: string) => surface.complain(printable(line));
  const reading = {
    kubectl,
    access,
    asked: { question, assume: options.assume },
    nodes: options.nodes,
    complain,
    told,
  };
  if (options.watch) return watched(reading, { every: seconds(options.every), surface: { ...surface, lang } });
  let read: Read;
  try {
    read = await readNow(reading);
  } catch (problem) {
    await access.close();
    throw problem;
  }
  const { gathering, objectsTook, nodesTook } = read;
  const clock = stopwatch();
  // kubectl removes what was made while the answer is worked out.
  const closed = access.close();
  const now = gathering.loaded();
  const askable = new Askable(now, []);
  const diagnosis = diagnose(askable, question, options.try);
  const quote = (file: string, line: number) => askable.quote(file, line);
  const { style, width } = surface;
  const verbose = options.verbose === true;
  const again = earlier && { file: options.again!, before: earlier, now, diagnosis };
  const answer = options.json
    ? `${jsonText({ ...(diagnosisJson(diagnosis, quote) as object), ...(again && { again: againJson(again) }) }, 2)}\n`
    : `${diagnosisText(diagnosis, { quote, style, lang, verbose, ...(width === undefined ? {} : { width }) })}${
        again ? againText(again, { style, lang, verbose }) : ""
      }`;
  const answerTook = clock();
  await closed;
  if (options.nodes && gathering.nodesRead === 0) told(text("live.objects-only"));
  told(text("live.times", { objects: objectsTook, nodes: nodesTook, answer: answerTook }));
  if (options.keep !== undefined) {
    writeBundle(resolve(options.keep), packed(gathering.files));
    told(text("live.kept", { file: options.keep }));
  }
  if (options.json) surface.write(answer);
  else surface.page(answer);
  surface.finish(STATUS[diagnosis.judgement.verdict]);
}

/** ssh's own choice where none is named. */
function userOf(typed: string | true): string {
  if (typed === true) return "";
  if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/.test(typed))
    throw new Failure(EXIT.usage, text("error.bad-user", { value: typed }));
  return typed;
}

/** Between two readings; a pod of ours is kept meanwhile. */
function seconds(typed: string | undefined): number {
  const every = Number(typed ?? EVERY);
  if (!Number.isFinite(every) || every < 0 || every > 86_400)
    throw new Failure(EXIT.usage, text("error.bad-number", { name: "every", value: typed ?? "", max: 86_400 }));
  return every;
}
