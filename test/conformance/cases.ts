import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { World } from "@hairpin/core/model/index.ts";
import { type Exploration, judge, type Question, resolveQuestion, trace } from "@hairpin/core/trace/index.ts";
import { compareHooks } from "@hairpin/lab/compare/hooks.ts";
import { comparable } from "@hairpin/lab/compare/relevant.ts";
import { type Conformance, conform, LAB_PORT, planFor } from "@hairpin/lab/conform.ts";
import { clientText, goldenText, readGolden } from "@hairpin/lab/golden.ts";
import type { KernelFeature, LabBackend } from "@hairpin/lab/index.ts";
import { missingFeatures } from "@hairpin/lab/netns/features.ts";
import { loadCase } from "../../packages/cli/src/case/load.ts";
import { Askable } from "../../packages/core/src/diagnose/index.ts";

const folder = (name: string): string => fileURLToPath(new URL(`../../packages/lab/${name}/`, import.meta.url));
const ROOT = folder("conformance");
/** Cases that need more than most kernels have: IPVS, VLANs. Their kernel is the VM's. */
export const VM_ROOT = folder("vm-conformance");
/** Set to write what the walk says as what is expected; then read the difference, and put it to the kernel. */
const UPDATE = process.env.HAIRPIN_UPDATE === "1";

const namesIn = (root: string): readonly string[] =>
  readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "topologies")
    .map((entry) => entry.name)
    .sort();

export const caseNames: readonly string[] = namesIn(ROOT);
export const vmCaseNames: readonly string[] = namesIn(VM_ROOT);

export interface LoadedConformance {
  readonly name: string;
  readonly root: string;
  readonly world: World;
  readonly question: Question;
  readonly exploration: Exploration;
  readonly expected: string;
  readonly verdict: string | undefined;
}

/** A case folder, walked. `patch`: commands applied first. */
export function loadConformance(name: string, patch: readonly string[] = [], root = ROOT): LoadedConformance {
  const loaded = loadCase([`${root}${name}`]);
  const askable = new Askable(loaded, []);
  const patched = patch.reduce((w, command) => askable.patched(command, w).world, askable.world);
  const resolved = resolveQuestion(patched, { sport: LAB_PORT, ...defined(askable.spec({})) });
  if (resolved.ok !== true) throw new Error(`${name}: ${"error" in resolved ? resolved.error : resolved.reason}`);
  const { world, question } = resolved;
  const exploration = trace(world, question, { fixed: askable.assumed, every: true });
  const file = `${root}${name}/expected.txt`;
  return {
    name,
    root,
    world,
    question,
    exploration,
    expected: existsSync(file) ? readFileSync(file, "utf8") : "",
    verdict: loaded.caseFile?.expect?.verdict,
  };
}

const defined = <T extends object>(o: T): Partial<T> =>
  Object.fromEntries(Object.entries(o).filter(([, v]) => v !== undefined)) as Partial<T>;

/** What the walk says, in the words of expected.txt. */
export function walked(c: LoadedConformance): { readonly text: string; readonly verdict: string } {
  const text = goldenText(c.exploration.branches);
  if (UPDATE && text !== c.expected) writeFileSync(`${c.root}${c.name}/expected.txt`, text);
  return { text, verdict: judge(c.exploration).verdict };
}

export function needsOf(c: LoadedConformance): readonly KernelFeature[] {
  return planFor(c.exploration.world, c.question, c.exploration.branches, c.exploration.fixed).needs;
}

/** Features of the case that the running kernel lacks: it is put to the VM. */
export const lacking = (c: LoadedConformance): readonly KernelFeature[] => missingFeatures(needsOf(c));

/** Puts a case to a kernel. Returns all that differs from the walk and from expected.txt, in sentences. */
export async function differences(backend: LabBackend, c: LoadedConformance): Promise<readonly string[]> {
  const result = await conform(backend, c.exploration, c.question, new Map());
  return [...unmade(result), ...result.differences, ...unexpected(result, c.expected)];
}

const unmade = (r: Conformance): readonly string[] => [
  ...r.realised.remarks.filter((m) => m.kind === "missing").map((m) => `not made real: ${m.stack ?? ""} ${m.text}`),
  ...r.observations.problems.map((p) => `refused: ${p.stack}: ${p.what}: ${p.answer}`),
];

/** expected.txt held against the kernel itself, whatever the walk says. */
function unexpected(r: Conformance, expected: string): readonly string[] {
  const told = clientText(r.clientSees, r.observations.stimuli[0]?.result.errno);
  const tries = readGolden(expected).map((branch) => {
    const hooks = r.observations.ctInfo
      ? branch.hooks
      : branch.hooks.map((h) => ({ ...h, text: h.text.replace(/ ct=\S+$/, "") }));
    const client =
      branch.client === told ? [] : [`expected the client to be told ${branch.client}, the kernel ${told}`];
    const sees = { clientSees: branch.client === "stalled" ? ("stalled" as const) : null };
    const keep = (h: { readonly text: string }): boolean => comparable(sees, h.text);
    return [...client, ...compareHooks(hooks.filter(keep), r.observed.filter(keep))];
  });
  return tries.sort((a, b) => a.length - b.length)[0] ?? ["nothing is expected: expected.txt is missing"];
}
