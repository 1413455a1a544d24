import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type MovedMode, PROXY_MODES } from "@hairpin/core/assemble/index.ts";
import type { Askable } from "@hairpin/core/diagnose/index.ts";
import { type Lang, text as message, say, type Text } from "@hairpin/core/messages/index.ts";
import { jsonText, printable } from "@hairpin/core/messages/printable.ts";
import type { CaseInput } from "@hairpin/core/parse/index.ts";
import {
  BadMerge,
  compareSweeps,
  fails,
  idleWords,
  mergeSweeps,
  readSweep,
  type Sweep,
  type SweepChanges,
  type SweepSide,
  shardOf,
  sweepJson,
  sweepLines,
  type Wanted,
} from "@hairpin/core/sweep/index.ts";
import { type Command, Option } from "commander";
import { readingOnce } from "../case/budget.ts";
import { SWEEP_LIMITS } from "../case/limits.ts";
import { loadCase } from "../case/load.ts";
import { reason } from "../case/reason.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { langOption } from "../lang.ts";
import { changesJson, changesText } from "../report/sweep/changes-text.ts";
import { sweepReport } from "../report/sweep/sweep-html.ts";
import { sweepJunit, sweepMarkdown, sweepSarif } from "../report/sweep/sweep-reports.ts";
import { sweepText } from "../report/sweep/sweep-text.ts";
import { refuseUnwritable } from "../report/writable.ts";
import { inputDigest } from "../sweep/input-digest.ts";
import { askableOf, run, runSweep, secondsOf } from "../sweep/run.ts";
import { type ComparedSides, sidesOf } from "../sweep/sides.ts";
import type { Register, Surface } from "./command.ts";

interface Options {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly node: readonly string[];
  readonly namespace: readonly string[];
  readonly family?: string;
  readonly assume: readonly string[];
  readonly try: readonly string[];
  readonly mode?: MovedMode;
  readonly kubeProxy?: string;
  readonly shard?: string;
  readonly merge?: readonly string[];
  readonly out?: string;
  readonly exitZero?: boolean;
  readonly maxTime?: string;
  readonly json?: boolean;
  readonly ndjson?: boolean;
  readonly markdown?: string | true;
  readonly sarif?: string | true;
  readonly junit?: string | true;
  readonly html?: string;
  readonly verbose?: boolean;
  readonly lang?: Lang;
}

const collect = (value: string, before: readonly string[]): readonly string[] => [
  ...before,
  ...value.split(",").filter((word) => word !== ""),
];

/** Which flows: of every command that asks many. */
export const withFlowOptions = (command: Command): Command =>
  command
    .option(
      "--from <kind|name>",
      "only these sources: pod, endpoint, node, external, loadbalancer, host, or a name with globs (pod/shop/*)",
      collect,
      [],
    )
    .option(
      "--to <kind|name>",
      "only these targets: service, dns, apiserver, pod, kubelet, clusterip, nodeport, external, loadbalancer, or a name with globs (svc/shop/*)",
      collect,
      [],
    )
    .option("--node <name>", "only flows with an end on this node; globs", collect, [])
    .option("--namespace <name>", "only flows with an end in this namespace; globs", collect, [])
    .addOption(new Option("--family <family>", "only this family").choices(["4", "6"]));

export const sweep: Register = (program, surface) => {
  withFlowOptions(
    program
      .command("sweep")
      .summary("every flow of a cluster at once")
      .description(
        "Asks every class of flow: every pod, node, load balancer and somebody outside through each node, to every Service by each of its addresses, every pod, the cluster's DNS and API, every kubelet. Flows that go the same way by all that a walk looked at are one class, answered by one walk. With two cases, or one and --try, --mode or --kube-proxy: which flows fare otherwise in the second, and by which line. Prints what is broken by cause, with how many flows each cause breaks, a fix and an example; which facts would decide what is undetermined; and a matrix. Ctrl-C prints what is known so far.\n\nExit status: 0 all flows work, 1 some fail, 2 none fails and some are undetermined or were not asked, or nothing was asked; of two sides 0 no flow fares worse, 1 some do, 2 it cannot be said of all; 64 and up for bad use or unreadable input.",
      )
      .argument("[case...]", "a folder, a bundle (.tar.gz), a transcript or a file; two of them are compared"),
  )
    .option(
      "--assume <id=value>",
      "settle an open fact; may be given again",
      (v: string, all: readonly string[]) => [...all, v],
      [],
    )
    .option(
      "--try <patch>",
      "what changes with this change made: a command as typed, or a fix named in case.yaml; may be given again",
      (v: string, all: readonly string[]) => [...all, v],
      [],
    )
    .addOption(new Option("--mode <mode>", "what changes with kube-proxy in that mode").choices(PROXY_MODES))
    .option("--kube-proxy <release>", "what changes with the rules that this release of kube-proxy writes, as in 1.37")
    .option(
      "--shard <i/n>",
      "only part I of N; parts put together with --merge are as one run. job/N: the part that an Indexed Job of Kubernetes gives this pod (JOB_COMPLETION_INDEX)",
    )
    .option("--merge <files...>", "put together what --shard I/N --ndjson printed; of a folder every file .ndjson")
    .option("--out <file>", "JSON or NDJSON into a file, which is whole when it is there")
    .option("--exit-zero", "end with 0 whatever the flows do; bad use and unreadable input still end with 64 and up")
    .option("--max-time <seconds>", "stop after so many seconds and print what is known")
    .option("-v, --verbose", "all causes, facts and targets")
    .option("--json", "print JSON")
    .option("--ndjson", "a JSON object for each class, a line each, then one that sums up")
    .option(
      "--html <file>",
      "the matrix, causes with worked examples and what is undetermined, as one file that loads nothing",
    )
    .option("--markdown [file]", "the answer for a ticket, into a file, or instead of the text")
    .option("--sarif [file]", "the causes as SARIF, for pipelines")
    .option("--junit [file]", "the classes as test cases of JUnit, for pipelines")
    .addOption(langOption())
    .action(async (paths: string[], options: Options) => {
      if (options.out !== undefined && options.json !== true && options.ndjson !== true)
        throw new Failure(EXIT.usage, message("error.out-form"));
      const { out, html, markdown, sarif, junit } = options;
      refuseUnwritable(Object.entries({ out, html, markdown, sarif, junit }));
      const sides = options.merge === undefined ? sidesOf(paths, options, options.lang ?? surface.lang) : undefined;
      if (sides !== undefined) {
        await compared(sides, options, surface);
        return;
      }
      const given = options.merge === undefined ? opened(paths, options) : undefined;
      const found =
        given === undefined
          ? merged([...(options.merge ?? []), ...paths])
          : await swept(given, paths, options, surface);
      // Shards do not say where the case lies.
      report(found, given?.askable, given === undefined ? ["CASE"] : paths, options, surface);
      surface.finish(options.exitZero === true ? 0 : statusOf(found));
    });
};

/** Before and after: which flows fare otherwise. */
async function compared(sides: ComparedSides, options: Options, surface: Surface): Promise<void> {
  const { a, b } = sides;
  const lang = options.lang ?? surface.lang;
  const others = (["shard", "html", "markdown", "sarif", "junit"] as const).filter(
    (name) => options[name] !== undefined,
  );
  if (others.length > 0)
    throw new Failure(EXIT.usage, message("error.sweep-sides-form", { options: others.map((name) => `--${name}`) }));
  const limits = { maxSeconds: secondsOf(options.maxTime), title: `${a.title}, ${b.title}`, lang };
  const wanted = wantedOf(options);
  refuseIdle([a, b], wanted);
  const changes = await run(compareSweeps(a, b, wanted), limits);
  const quote = (side: "a" | "b", file: string, line: number) => sides[side].askable.quote(file, line);
  const forPrograms = options.ndjson === true || options.json === true;
  if (options.out !== undefined) writeWhole(options.out, changesProgramText(changes, options));
  if (forPrograms && options.out === undefined)
    for (const part of changesProgramText(changes, options)) surface.write(part);
  else
    surface.page(
      changesText(changes, {
        style: surface.style,
        lang,
        verbose: options.verbose === true,
        a: a.title,
        b: b.title,
        quote,
        // A side that is a case by itself can be asked.
        paths: sides.b.world === undefined ? [b.title] : undefined,
        width: surface.width,
      }),
    );
  surface.finish(options.exitZero === true ? 0 : statusOfChanges(changes));
}

/** What cannot be said of the second side is no "nothing fares worse". */
function statusOfChanges({ changed, flows, complete, undetermined, lost, freshFailing }: SweepChanges): number {
  if (changed.some((c) => c.direction === "breaks" || c.direction === "worse")) return 1;
  return flows === 0 || !complete || undetermined > 0 || lost.length > 0 || freshFailing > 0 ? 2 : 0;
}

/** A word that selects nothing is a slip, and an answer to it would be one, too. */
function refuseIdle(sides: readonly SweepSide[], wanted: Wanted): void {
  const idle = idleWords(
    sides.map(({ askable, world }) => world ?? askable.world),
    wanted,
  );
  if (idle.length === 0) return;
  throw new Failure(
    EXIT.usage,
    idle.flatMap(({ option, word, known, near }) => [
      message(option === "from" || option === "to" ? "error.idle-word" : "error.idle-name", {
        option,
        word: printable(word),
        known: known.length === 0 ? message("error.none") : known.map(printable),
      }),
      ...(near.length === 0 ? [] : [message("fault.others-near", { names: near.map(printable) })]),
    ]),
  );
}

function wantedOf({ from, to, node, namespace, family }: Options): Wanted {
  return { from, to, node, namespace, family: family === undefined ? undefined : family === "4" ? 4 : 6 };
}

interface Opened {
  readonly askable: Askable;
  readonly inputs: readonly CaseInput[];
}

function opened(paths: readonly string[], options: Options): Opened {
  if (paths.length === 0) throw new Failure(EXIT.usage, message("error.sweep-case"));
  const loaded = loadCase(paths, SWEEP_LIMITS, undefined, { readBefore: readingOnce(SWEEP_LIMITS) });
  return { askable: askableOf(loaded, options.assume), inputs: loaded.inputs };
}

async function swept(
  { askable, inputs }: Opened,
  paths: readonly string[],
  options: Options,
  surface: Surface,
): Promise<Sweep> {
  const shard = options.shard === undefined ? undefined : shardOf(ofJob(options.shard));
  if (options.shard !== undefined && shard === undefined)
    throw new Failure(EXIT.usage, message("error.bad-shard", { shard: options.shard }));
  const wanted = wantedOf(options);
  refuseIdle([{ askable }], wanted);
  const limits = { maxSeconds: secondsOf(options.maxTime), title: paths.join(" "), lang: options.lang ?? surface.lang };
  const found = await runSweep(askable, { ...wanted, shard }, limits);
  return { ...found, input: inputDigest(inputs, { ...wanted, assume: options.assume }) };
}

/** Kubernetes counts the pods of an Indexed Job from 0. */
function ofJob(shard: string): string {
  const [, count] = /^job\/(\d+)$/.exec(shard) ?? [];
  const index = process.env["JOB_COMPLETION_INDEX"];
  return count !== undefined && index !== undefined && /^\d{1,6}$/.test(index)
    ? `${Number(index) + 1}/${count}`
    : shard;
}

/** A folder stands for the shards in it. */
function filesOf(path: string): readonly string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path)
      .filter((name) => name.endsWith(".ndjson"))
      .sort()
      .map((name) => join(path, name));
  } catch {
    return [path];
  }
}

function merged(given: readonly string[]): Sweep {
  const parts = given.flatMap(filesOf).map((file) => {
    try {
      return readSweep(readFileSync(file, "utf8"));
    } catch (error) {
      if (error instanceof BadMerge)
        throw new Failure(EXIT.badData, message("error.merge-file", { value: file, why: error.lines[0]! }));
      throw new Failure(EXIT.noInput, message("error.merge-file", { value: file, why: reason(error) }));
    }
  });
  try {
    return mergeSweeps(parts.filter((p) => p !== undefined));
  } catch (error) {
    if (error instanceof BadMerge) throw new Failure(EXIT.badData, message("error.merge", { why: error.lines[0]! }));
    throw error;
  }
}

function statusOf({ classes, answered, flows }: Sweep): number {
  if (classes.some(fails)) return 1;
  if (flows === 0) return 2;
  return answered < flows || classes.some((c) => c.verdict === "undetermined") ? 2 : 0;
}

function nothingAsked({ from, to, node, namespace, family, shard }: Options): Text {
  const chosen = [...from, ...to, ...node, ...namespace].length > 0 || family !== undefined || shard !== undefined;
  return chosen ? message("sweep.none-selected") : message("sweep.none");
}

/** For programs, in parts that a string holds. */
const programText = (found: Sweep, { ndjson }: Options): readonly string[] =>
  ndjson === true ? linesText(sweepLines(found)) : [`${jsonText(sweepJson(found), 2)}\n`];

function changesProgramText(changes: SweepChanges, { ndjson }: Options): readonly string[] {
  const { classes, ...summary } = changesJson(changes);
  return ndjson === true ? linesText([...classes, summary]) : [`${jsonText({ ...summary, classes }, 2)}\n`];
}

const linesText = (lines: readonly unknown[]): readonly string[] => lines.map((line) => `${jsonText(line)}\n`);

/** Aside first: who is killed leaves no half of a file. */
function writeWhole(file: string, parts: readonly string[]): void {
  try {
    writeFileSync(`${file}.part`, parts.join(""));
    renameSync(`${file}.part`, file);
  } catch (error) {
    throw new Failure(EXIT.cannotWrite, message("error.option", { name: "out", value: file, why: reason(error) }));
  }
}

function report(
  found: Sweep,
  askable: Askable | undefined,
  paths: readonly string[],
  options: Options,
  surface: Surface,
): void {
  const lang = options.lang ?? surface.lang;
  const reports: readonly [string, string | true | undefined, () => string][] = [
    ["markdown", options.markdown, () => sweepMarkdown(found, paths, lang)],
    ["sarif", options.sarif, () => sweepSarif(found, paths)],
    ["html", options.html, () => sweepReport(found, askable, paths, lang)],
    ["junit", options.junit, () => sweepJunit(found, paths)],
  ];
  if (options.out !== undefined) writeWhole(options.out, programText(found, options));
  const none = found.flows === 0 ? `${say(nothingAsked(options), lang)}` : undefined;
  const instead = reports.find(([, target]) => target === true || target === "-");
  if (instead !== undefined) surface.write(instead[2]());
  else if (options.out === undefined && (options.ndjson === true || options.json === true))
    for (const part of programText(found, options)) surface.write(part);
  else if (none !== undefined) surface.write(`${none}\n`);
  else
    surface.page(
      sweepText(found, {
        style: surface.style,
        lang,
        verbose: options.verbose === true,
        paths,
        width: surface.width,
        height: surface.height,
      }),
    );
  // Whoever reads a form for programs alone is told, too.
  if (none !== undefined && (instead !== undefined || options.ndjson === true || options.json === true))
    surface.complain(none);
  for (const [name, target, text] of reports) {
    if (typeof target !== "string" || target === "-") continue;
    try {
      writeFileSync(target, text());
    } catch (error) {
      throw new Failure(EXIT.cannotWrite, message("error.option", { name, value: target, why: reason(error) }));
    }
  }
}
