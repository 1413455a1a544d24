import { kubectlOf } from "@hairpin/collect/index.ts";
import { check, isClean } from "@hairpin/core/check/index.ts";
import {
  Askable,
  diagnose,
  diagnosisJson,
  type LoadedCase,
  type QuestionOptions,
} from "@hairpin/core/diagnose/index.ts";
import { jsonText, safeText } from "@hairpin/core/messages/printable.ts";
import { type Command, Option } from "commander";
import { stringify } from "yaml";
import { accessOf } from "../kubectl/access-of.ts";
import { completed } from "../kubectl/complete.ts";
import { kubectlGlobals } from "../kubectl/globals.ts";
import { inNamespace } from "../kubectl/in-namespace.ts";
import { interruptible } from "../kubectl/interruptible.ts";
import { namespaceOf } from "../kubectl/namespace-of.ts";
import { caseOfCluster } from "../kubectl/of-cluster.ts";
import { diagnosisText } from "../report/answer/diagnosis-text.ts";
import { checkJson } from "../report/check-json.ts";
import { checkText } from "../report/check-text.ts";
import { printable } from "../report/style.ts";
import { treeOf } from "../shell/tree.ts";
import type { Register, Surface } from "./command.ts";
import { withLive } from "./live.ts";
import { withQuestionOptions } from "./question-options.ts";

interface Options extends QuestionOptions {
  readonly namespace?: string;
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly nodes?: readonly string[] | true;
  readonly output?: "json" | "yaml" | "wide";
  readonly json?: boolean;
  readonly assume: readonly string[];
  readonly try: readonly string[];
}

const STATUS = { reachable: 0, unreachable: 1, intermittent: 1, undetermined: 2 } as const;

/** kubectl's own habits. */
const withClusterOptions = (command: Command): Command =>
  command
    .option("-n, --namespace <name>", "where names without a namespace are looked for (default: that of the context)")
    .option("--context <name>", "the context of kubectl's configuration")
    .option("--kubeconfig <file>", "kubectl's configuration")
    .option("--nodes [names...]", "read these nodes as well (default: all), through a privileged pod or one of its own")
    .addOption(
      new Option("-o, --output <format>", "json, yaml, or wide for all that is known").choices([
        "json",
        "yaml",
        "wide",
      ]),
    );

/** `kubectl hairpin …`, which kubectl finds as `kubectl-hairpin` in PATH. */
export const kubectl: Register = (program, surface) => {
  const plugin = program
    .command("kubectl")
    .summary("the same as a plugin of kubectl: kubectl hairpin …")
    .description(
      "Asks a cluster through kubectl. As `kubectl-hairpin` in PATH it is `kubectl hairpin`; `kubectl hairpin FROM TO` is `hairpin live FROM TO`.",
    );
  const add = (name: string): Command => plugin.command(name).exitOverride().copyInheritedSettings(program);
  withLive(plugin.command("live", { isDefault: true }).exitOverride().copyInheritedSettings(program), surface);
  withClusterOptions(withQuestionOptions(add("diagnose").summary("can FROM reach TO, and does the answer come back")))
    .description(
      "Can FROM reach TO? FROM and TO as for `hairpin diagnose`; pod/NAME and svc/NAME are looked for in the namespace.\n\nExit status: 0 reachable, 1 unreachable or intermittent, 2 undetermined.",
    )
    .argument("[from]", "who asks: pod/NAME, node/NAME, an address, external")
    .argument("[to]", "what is asked: svc/NAME[:PORT], pod/NAME:PORT, ADDRESS:PORT")
    .action(async (from: string | undefined, to: string | undefined, options: Options) => {
      const globals = kubectlGlobals(options);
      const namespace = options.namespace ?? (await namespaceOf(kubectlOf(globals)));
      const who = from ?? options.from;
      const whom = to ?? options.to;
      const question = {
        ...options,
        ...(who === undefined ? {} : { from: inNamespace(who, namespace) }),
        ...(whom === undefined ? {} : { to: inNamespace(whom, namespace) }),
      };
      const askable = new Askable(await gathered(options, globals, surface), options.assume);
      const diagnosis = diagnose(askable, question, options.try);
      const quote = (file: string, line: number) => askable.quote(file, line);
      const { style, lang, width } = surface;
      const verbose = options.output === "wide";
      print(surface, options.output ?? (options.json ? "json" : undefined), diagnosisJson(diagnosis, quote), () =>
        diagnosisText(diagnosis, { quote, style, lang, verbose, ...(width === undefined ? {} : { width }) }),
      );
      surface.finish(STATUS[diagnosis.judgement.verdict]);
    });
  withClusterOptions(add("check").summary("what is not as it should be, and what is missing"))
    .description(
      "What of the cluster was read, where a node is not as kube-proxy should have programmed it (with --nodes), what is missing.",
    )
    .action(async (options: Options) => {
      const loaded = await gathered(options, kubectlGlobals(options), surface);
      const report = check(loaded.reading, loaded.inputs, undefined, loaded.caseFile);
      print(surface, options.output, checkJson(report, loaded.notes), () =>
        checkText(report, loaded.notes, surface.style, printable, surface.lang),
      );
      surface.finish(isClean(report) ? 0 : 1);
    });
  plugin
    .command("complete", { hidden: true })
    .argument("[words...]")
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words: string[]) => {
      surface.write(await completed(treeOf(plugin), words));
      surface.finish(0);
    });
};

/** Reading the nodes of a whole cluster may take longer than reading those of one question. */
const LIVES = 600;

const gathered = (options: Options, globals: readonly string[], surface: Surface): Promise<LoadedCase> =>
  interruptible(async () =>
    caseOfCluster({
      kubectl: kubectlOf(globals),
      access: accessOf({ globals, namespace: options.namespace ?? "default", lives: LIVES }, surface),
      complain: (line) => surface.complain(printable(line)),
      ...(options.nodes === undefined ? {} : { nodes: options.nodes }),
    }),
  );

function print(surface: Surface, output: Options["output"], json: unknown, text: () => string): void {
  if (output === "json") surface.write(`${jsonText(json, 2)}\n`);
  else if (output === "yaml") surface.write(safeText(stringify(JSON.parse(JSON.stringify(json))), false));
  else surface.write(text());
}
