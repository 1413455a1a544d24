import { Askable, diagnose, type QuestionOptions } from "@hairpin/core/diagnose/index.ts";
import { faultText, type Lang, say, sayDecision, type Text, text } from "@hairpin/core/messages/index.ts";
import { jsonText } from "@hairpin/core/messages/printable.ts";
import type { World } from "@hairpin/core/model/index.ts";
import type { Fix } from "@hairpin/core/remedy/index.ts";
import { type Exploration, type Question, resolveQuestion, trace } from "@hairpin/core/trace/index.ts";
import { branchesOf, type Conformance, conform, hypothesesOf, LAB_PORT, planFor } from "@hairpin/lab/conform.ts";
import { BadPlan, cleanLeftovers, type KernelFeature, LabError, openLab, vet } from "@hairpin/lab/index.ts";
import { LIMITS } from "../case/limits.ts";
import { loadCase } from "../case/load.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { langOption } from "../lang.ts";
import { labJson } from "../report/lab-json.ts";
import { labText } from "../report/lab-text.ts";
import { printable, type Style } from "../report/style.ts";
import type { Register, Surface } from "./command.ts";
import { withQuestionOptions } from "./question-options.ts";

interface Options extends QuestionOptions {
  readonly assume: readonly string[];
  readonly try: readonly string[];
  readonly fix?: string;
  readonly backend?: "auto" | "netns" | "vm";
  readonly clean?: boolean;
  readonly json?: boolean;
  readonly lang?: Lang;
}

/** More hypotheses than this are not put to a kernel in one call. */
const MAX_HYPOTHESES = 16;

export const lab: Register = (program, surface) => {
  withQuestionOptions(
    program
      .command("lab")
      .summary("the same question asked of a real kernel")
      .description(
        "Builds the case in fresh network namespaces, of the running kernel or of a small VM, sends the real packet, and lays what the kernel did beside what the walk predicted.\n\nExit status: 0 they agree, 1 they differ, 65 a value of the case is nothing to give a tool, 69 no kernel can be asked here.",
      )
      .argument("[case...]", "a folder, a bundle (.tar.gz), a transcript, or loose files"),
  )
    .option(
      "--fix <name>",
      "with this fix of case.yaml applied; or, by its code, a proposed fix: first without it, then with it",
    )
    .option("--backend <kind>", "auto (default), netns or vm")
    .option("--clean", "remove what a killed run left behind")
    .addOption(langOption())
    .action(async (paths: string[], options: Options) => {
      try {
        if (options.clean) {
          surface.write(`${jsonText(cleanLeftovers())}\n`);
          surface.finish(0);
        } else await ask(paths, options, surface);
      } catch (problem) {
        throw problem instanceof LabError ? asFailure(problem, options.lang ?? surface.lang) : problem;
      }
    });
};

/** A value no tool is given is bad data; a kernel that cannot be asked is not available. */
const asFailure = (problem: LabError, lang: Lang | undefined): Failure =>
  new Failure(
    problem instanceof BadPlan ? EXIT.badData : EXIT.unavailable,
    problem.texts.map((it) => say(it, lang)).join("\n"),
  );

async function ask(paths: readonly string[], options: Options, surface: Surface): Promise<void> {
  const lang = options.lang ?? surface.lang;
  if (paths.length === 0) throw new Failure(EXIT.usage, text("error.say-case"));
  const askable = new Askable(loadCase(paths, LIMITS, options), options.assume);
  const { poses, fix } = posesOf(askable, options);
  const backend = await openLab([...new Set(poses.flatMap((p) => p.needs))], {
    onProgress: (what) => surface.complain(what),
    lang,
    ...(options.backend !== undefined && { backend: options.backend }),
  });
  try {
    const runs: (readonly Conformance[])[] = [];
    for (const { title, exploration, question, hypotheses } of poses) {
      const results: Conformance[] = [];
      if (title !== undefined && options.json !== true)
        surface.write(`${surface.style.bold(printable(say(title, lang)))}\n`);
      for (const hypothesis of hypotheses) {
        const result = await conform(backend, exploration, question, hypothesis);
        results.push(result);
        if (options.json !== true) surface.write(labText(result, surface.style, lang));
      }
      runs.push(results);
    }
    if (options.json) surface.write(`${jsonText(runsJson(runs, fix), 2)}\n`);
    else if (fix !== undefined) surface.write(provedText(fix, runs[runs.length - 1] ?? [], surface.style, lang));
    surface.finish(runs.flat().every((r) => r.explained !== undefined) ? 0 : 1);
  } finally {
    await backend.close();
  }
}

interface Pose {
  readonly title?: Text;
  readonly exploration: Exploration;
  readonly question: Question;
  readonly hypotheses: readonly ReadonlyMap<string, string>[];
  readonly needs: readonly KernelFeature[];
}

/** What is put to the kernel: the case with what was to be tried; for a proposed fix, the case as it is and then mended. */
function posesOf(askable: Askable, options: Options): { readonly poses: readonly Pose[]; readonly fix?: Fix } {
  const base = options.try.reduce((w, patch) => askable.patched(patch, w).world, askable.world);
  if (options.fix === undefined) return { poses: [pose(askable, options, base)] };
  const proposed = /^[A-Z0-9_+]+$/.test(options.fix)
    ? diagnose(askable, options).fixes.find((f) => f.code === options.fix)
    : undefined;
  if (proposed === undefined) return { poses: [pose(askable, options, askable.patched(options.fix, base).world)] };
  const mended = proposed.applyTo(base);
  if (mended === undefined) throw new Failure(EXIT.usage, text("error.fix-and-try", { fix: options.fix }));
  return {
    poses: [
      { title: text("lab.as-it-is"), ...pose(askable, options, base) },
      { title: text("lab.with-fix", { fix: proposed.code }), ...pose(askable, options, mended) },
    ],
    fix: proposed,
  };
}

function pose(askable: Askable, options: Options, world: World): Pose {
  const spec = { ...askable.spec(options), sport: askable.spec(options).sport ?? LAB_PORT };
  const resolved = resolveQuestion(world, spec);
  if (resolved.ok === false) throw new Failure(EXIT.usage, faultText(resolved.error));
  if (resolved.ok === "unsupported") throw new Failure(EXIT.unavailable, sayDecision(resolved.reason));
  const { question } = resolved;
  const exploration = trace(resolved.world, question, { fixed: askable.assumed });
  const hypotheses = hypothesesOf(exploration);
  if (hypotheses.length > MAX_HYPOTHESES) {
    throw new Failure(EXIT.unavailable, text("lab.too-many", { count: hypotheses.length }));
  }
  const plans = hypotheses.map((h) => planFor(exploration.world, question, branchesOf(exploration, h), h));
  for (const { plan } of plans) vet(plan);
  const needs = plans.flatMap((p) => p.needs);
  return { exploration, question, hypotheses, needs };
}

/** The verdict of the kernel: what its client saw in every hypothesis. */
function kernelVerdict(results: readonly Conformance[]): "reachable" | "unreachable" | "intermittent" {
  const works = results.filter((r) => r.clientSees === "connected").length;
  return works === results.length ? "reachable" : works === 0 ? "unreachable" : "intermittent";
}

function runsJson(runs: readonly (readonly Conformance[])[], fix: Fix | undefined): unknown {
  const last = runs[runs.length - 1] ?? [];
  const json = labJson(last) as Record<string, unknown>;
  if (fix === undefined) return json;
  const proof = { verdict: fix.proof.verdict, kernel: kernelVerdict(last) };
  const { hypotheses: asItIs } = labJson(runs[0] ?? []) as { hypotheses: unknown };
  return { ...json, fix: { code: fix.code, commands: fix.commands, proof }, asItIs };
}

function provedText(fix: Fix, results: readonly Conformance[], style: Style, lang: Lang): string {
  const kernel = kernelVerdict(results);
  const twice = kernel === fix.proof.verdict && kernel === "reachable";
  const line = twice
    ? text("lab.proved", { fix: fix.code })
    : text("lab.not-proved", { fix: fix.code, walk: fix.proof.verdict, kernel });
  return `${(twice ? style.green : style.red)(say(line, lang))}\n`;
}
