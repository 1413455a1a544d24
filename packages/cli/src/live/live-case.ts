import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { clusterObjects, kubectlOf, packed, type TextFile } from "@hairpin/collect/index.ts";
import type { QuestionOptions } from "@hairpin/core/diagnose/index.ts";
import { say, type Text, text } from "@hairpin/core/messages/index.ts";
import type { Command } from "commander";
import { keepLive, LIVE } from "../case/from-cluster.ts";
import type { Surface } from "../commands/command.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { accessOf } from "../kubectl/access-of.ts";
import { filesOfAll } from "../kubectl/gathered-files.ts";
import { kubectlGlobals } from "../kubectl/globals.ts";
import { inNamespace } from "../kubectl/in-namespace.ts";
import { interruptible } from "../kubectl/interruptible.ts";
import { namespaceOf } from "../kubectl/namespace-of.ts";
import { writeBundle } from "../kubectl/write-bundle.ts";
import { printable } from "../report/style.ts";
import { readNow } from "./reading.ts";

interface Options extends QuestionOptions {
  readonly live?: boolean;
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly keep?: string;
  readonly assume?: readonly string[];
}

/** Commands that take a case, and so a cluster. */
const OF_A_CASE: ReadonlySet<string> = new Set([
  ...["diagnose", "trace", "check", "diff", "sweep", "expect", "instrument", "guard", "lab", "serve"],
]);
/** Reading the nodes of a whole cluster may take longer than reading those of one question. */
const [ONE_QUESTION, ALL_NODES] = [120, 600];

/** `--live` in the place of a case: the cluster is read before the command runs, and is its last case. */
export function withLiveCase(command: Command, surface: Surface, read = clusterFiles): void {
  const [argument] = command.registeredArguments;
  if (argument === undefined || !OF_A_CASE.has(command.name())) return;
  const isNeeded = argument.required;
  argument.required = false;
  command
    .option("--live", "instead of a case: the cluster that runs, read through kubectl as `hairpin live` reads it")
    .option("--context <name>", "the context of kubectl's configuration")
    .option("--kubeconfig <file>", "kubectl's configuration")
    .option("--keep <file>", "keep all that was read as a bundle that gives the same answer")
    .hook("preAction", async (_, action) => {
      const options = action.opts<Options>();
      const [given] = action.processedArgs as [readonly string[] | undefined];
      if (options.live !== true) {
        if (isNeeded && (given ?? []).length === 0)
          action.error(`error: missing required argument '${argument.name()}'`);
        return;
      }
      const files = await interruptible(() => read(action, options, surface));
      keepLive(files);
      action.processedArgs[0] = [...(given ?? []), LIVE];
    });
}

/** For one question its nodes and pods; otherwise all of them. */
async function clusterFiles(action: Command, options: Options, surface: Surface): Promise<readonly TextFile[]> {
  const globals = kubectlGlobals(options);
  const kubectl = kubectlOf(globals);
  const namespace = await namespaceOf(kubectl);
  const { from, to } = options;
  // A sweep selects by several words.
  const isOne = typeof from === "string" && typeof to === "string";
  const access = accessOf({ globals, namespace, lives: isOne ? ONE_QUESTION : ALL_NODES, verbose: false }, surface);
  const complain = (line: string) => surface.complain(printable(line));
  const told = (said: Text) => complain(say(said, surface.lang));
  let files: readonly TextFile[];
  try {
    if (isOne) {
      const question = { ...options, from: inNamespace(from, namespace), to: inNamespace(to, namespace) };
      action.setOptionValue("from", question.from).setOptionValue("to", question.to);
      const asked = { question, assume: options.assume ?? [] };
      const { gathering } = await readNow({ kubectl, access, asked, nodes: true, complain, told });
      files = gathering.files;
    } else {
      const [objects] = await Promise.all([clusterObjects(complain, kubectl), access.survey()]);
      if (objects.length === 0) throw new Failure(EXIT.unavailable, text("error.kubectl-nothing"));
      const gathered = await access.collect(access.nodes.map((node) => ({ node, pods: "all" })));
      for (const g of gathered) if (!g.ok) complain(`${g.from}: ${g.why}`);
      const folder = mkdtempSync(join(tmpdir(), "hairpin-live-"));
      try {
        files = [...objects, ...filesOfAll(gathered, folder)];
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
  } finally {
    await access.close();
  }
  if (options.keep !== undefined) {
    writeBundle(resolve(options.keep), packed(files));
    told(text("live.kept", { file: options.keep }));
  }
  return files;
}
