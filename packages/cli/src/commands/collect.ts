import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  anonymise,
  type ClusterAccess,
  clusterObjects,
  collectBySsh,
  collectScript,
  type Gathered,
  kubectlOf,
  packed,
  run,
  type TextFile,
} from "@hairpin/collect/index.ts";
import { text } from "@hairpin/core/messages/index.ts";
import { append } from "@hairpin/core/net/append.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { accessOf } from "../kubectl/access-of.ts";
import { filesOfAll } from "../kubectl/gathered-files.ts";
import { kubectlGlobals } from "../kubectl/globals.ts";
import { interruptible } from "../kubectl/interruptible.ts";
import { namespaceOf } from "../kubectl/namespace-of.ts";
import { writeBundle } from "../kubectl/write-bundle.ts";
import { printable } from "../report/style.ts";
import type { Register, Surface } from "./command.ts";

interface Options {
  readonly output?: string;
  readonly ssh?: readonly string[];
  readonly sudo?: boolean;
  readonly kubectl?: readonly string[] | true;
  readonly image?: string;
  readonly pods: boolean;
  readonly anonymise?: boolean;
  readonly script?: boolean;
  readonly context?: string;
  readonly kubeconfig?: string;
}

const stamp = (): string => new Date().toISOString().replace(/[-:]|\.\d+/g, "");

/** A name that ssh or kubectl could take for an option, or ssh's own configuration hand to a shell, is none. */
function named(names: readonly string[]): readonly string[] {
  const odd = names.find((n) => !/^[A-Za-z0-9_[][A-Za-z0-9_.:@%[\]/-]{0,300}$/.test(n));
  if (odd !== undefined) throw new Failure(EXIT.usage, text("error.no-host", { name: JSON.stringify(odd) }));
  return names;
}

async function here(options: Options, folder: string, phrase: (line: string) => void): Promise<Gathered> {
  const path = join(folder, "here.tar.gz");
  const args = ["-s", "--", "-o", path, ...(options.pods ? [] : ["--no-pods"])];
  const { status, err } = await run("sh", args, {
    input: collectScript(),
    onLine: (line) => {
      if (!line.endsWith(path)) phrase(line);
    },
  });
  if (status !== 0)
    return { from: hostname(), ok: false, why: `sh ended with ${status}: ${err.trim().split("\n").pop()}` };
  return { from: hostname(), ok: true, bundle: readFileSync(path) };
}

/** A node with many pods takes minutes. */
const LIVES = 600;

async function throughKubectl(
  asked: readonly string[] | true,
  options: Options,
  wording: (line: string) => void,
  surface: Surface,
): Promise<{ readonly objects: readonly TextFile[]; readonly gathered: readonly Gathered[] }> {
  const globals = kubectlGlobals(options);
  const kubectl = kubectlOf(globals);
  const { image } = options;
  const namespace = await namespaceOf(kubectl);
  const access: ClusterAccess = accessOf(
    { globals, namespace, lives: LIVES, ...(image === undefined ? {} : { image }) },
    surface,
  );
  try {
    const [objects] = await Promise.all([clusterObjects(wording, kubectl), access.survey()]);
    const nodes = asked === true ? access.nodes : named(asked);
    return {
      objects,
      gathered: await access.collect(nodes.map((node) => ({ node, pods: options.pods ? "all" : [] }))),
    };
  } finally {
    await access.close();
  }
}

export const collect: Register = (program, surface) => {
  program
    .command("collect")
    .summary("reads this node, or others by ssh or kubectl, into one bundle")
    .description(
      "Gathers every dump that Hairpin reads, from the node and, as root, from each pod's network namespace, into one .tar.gz. It only reads, and takes no Secret, environment or command line.\n\nExit status: 0 all was gathered, 1 some machines could not be reached, 69 none could.",
    )
    .option("-o, --output <file>", "where the bundle goes (default: hairpin-TIME.tar.gz here)")
    .option("--ssh <hosts...>", "from these machines, through the system's ssh")
    .option("--sudo", "with --ssh: as root by sudo, which must not ask for a password")
    .option(
      "--kubectl [nodes...]",
      "from these nodes (default: all) through a privileged pod or one of its own, with the cluster's objects",
    )
    .option(
      "--image <image>",
      "with --kubectl: the image of the pod that reads a node (default: one that is on the node)",
    )
    .option("--context <name>", "with --kubectl: the context of kubectl's configuration")
    .option("--kubeconfig <file>", "with --kubectl: its configuration")
    .option("--no-pods", "the node itself only")
    .option("--anonymise", "other names, addresses and MACs, each the same everywhere")
    .option("--script", "print the script that does it, and do nothing")
    .action(async (options: Options) => {
      if (options.script) {
        surface.write(collectScript());
        surface.finish(0);
        return;
      }
      // What other machines say is printed as text, whatever is in it.
      const wording = (line: string): void => surface.complain(printable(line));
      const output = resolve(options.output ?? `hairpin-${stamp()}.tar.gz`);
      const folder = mkdtempSync(join(tmpdir(), "hairpin-collect-"));
      const clean = () => rmSync(folder, { recursive: true, force: true });
      try {
        const progress = {
          onLine: (from: string, line: string) => wording(`${from}: ${line.replace(/^collect: /, "")}`),
        };
        await interruptible(async () => {
          const gathered: Gathered[] = [];
          const objects: TextFile[] = [];
          if (options.ssh !== undefined)
            append(
              gathered,
              await collectBySsh(named(options.ssh), {
                ...progress,
                sudo: options.sudo ?? false,
                pods: options.pods,
              }),
            );
          if (options.kubectl !== undefined) {
            const byKubectl = await throughKubectl(options.kubectl, options, wording, surface);
            append(objects, byKubectl.objects);
            append(gathered, byKubectl.gathered);
          }
          if (options.ssh === undefined && options.kubectl === undefined)
            gathered.push(await here(options, folder, wording));
          const failed = gathered.filter((g) => !g.ok);
          for (const { from, why } of failed) wording(`${from}: ${why}`);
          if (failed.length === gathered.length && objects.length === 0)
            throw new Failure(EXIT.unavailable, text("error.nothing-gathered"));
          const files = [...filesOfAll(gathered, folder), ...objects];
          writeBundle(output, packed(options.anonymise ? anonymise(files) : files));
          surface.write(`${printable(output)}\n`);
          surface.finish(failed.length === 0 ? 0 : 1);
        }, clean);
      } catch (problem) {
        if (problem instanceof Failure) throw problem;
        throw new Failure(EXIT.unavailable, problem instanceof Error ? problem.message : String(problem));
      } finally {
        clean();
      }
    });
};
