import { BadCaseFile } from "@hairpin/case/index.ts";
import { check, isClean, nodesOf } from "@hairpin/core/check/index.ts";
import { Askable, BadRequest, diagnose, diagnosisJson, type LoadedCase } from "@hairpin/core/diagnose/index.ts";
import { text as message } from "@hairpin/core/messages/index.ts";
import { safeText } from "@hairpin/core/messages/printable.ts";
import { parseFactId } from "@hairpin/core/model/index.ts";
import type { QuestionInput } from "@hairpin/core/parse/index.ts";
import { askedPart, type Sweep as Swept, sweep, sweepJson, type Wanted } from "@hairpin/core/sweep/index.ts";
import type { Answer, CaseRequest, Check, Diagnosis, Diff, Engine, Sweep } from "@hairpin/mcp/index.ts";
import { comparisonOf } from "../case/compared.ts";
import { LIMITS, type Limits } from "../case/limits.ts";
import { loadCase } from "../case/load.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { checkJson } from "../report/check-json.ts";
import { diffJson } from "../report/diff-json.ts";
import { askableOf } from "../sweep/run.ts";
import { VERSION } from "../version.ts";
import { pastedInputs } from "./pasted.ts";
import { isWithin, pathWithin } from "./within.ts";

const MiB = 1024 * 1024;
/** As for any case, but that nothing is unpacked onto the disk: a server of an agent writes nothing. */
const IN_MEMORY: Limits = { ...LIMITS, totalBytes: 256 * MiB, unpackedInMemory: 256 * MiB, unpackedOnDisk: 0 };

/** What the server may ask, on cases under these roots. Words and paths go through the gates of the command line. */
export function engineFor(roots: readonly string[]): Engine {
  const mayHaveBase = (folder: string): boolean => isWithin(roots, `${folder}/../topologies`);
  const load = ({ paths, pasted }: CaseRequest, question?: QuestionInput): LoadedCase =>
    loadCase(
      paths.map((p) => pathWithin(roots, p)),
      IN_MEMORY,
      question,
      { pasted: pastedInputs(pasted), mayHaveBase },
    );
  return {
    version: VERSION,
    roots,
    stackOf(id) {
      const fact = parseFactId(id);
      return "stack" in fact ? fact.stack : null;
    },
    diagnose: (request) =>
      answer(() => {
        const askable = new Askable(load(request, request.question), request.assume);
        const asked = request.try.length === 0 ? askedPart(askable, request.question) : askable;
        const diagnosis = diagnose(asked, request.question, request.try);
        const json = diagnosisJson(diagnosis, (file, line) => askable.quote(file, line)) as Diagnosis;
        return { ...json, proposed: diagnosis.fixes.length };
      }),
    check: (request) =>
      answer(() => {
        const loaded = load(request);
        const nodes = nodesOf(loaded.reading);
        if (request.node !== undefined && !nodes.includes(request.node))
          throw new Failure(
            EXIT.usage,
            message("error.check-no-node", {
              node: request.node,
              names: nodes.length === 0 ? message("error.none") : nodes.join(", "),
            }),
          );
        const report = check(loaded.reading, loaded.inputs, request.node, loaded.caseFile);
        return { ...(checkJson(report, loaded.notes) as Check), clean: isClean(report), nodes };
      }),
    diff: ({ a, b, ...sides }) =>
      answer(() => {
        const compared = comparisonOf([a, ...(b === undefined ? [] : [b])], sides, (path) =>
          load({ paths: [path], pasted: [] }),
        );
        return diffJson(compared.comparison, compared.a, compared.b) as Diff;
      }),
    sweep: ({ path, assume, ...wanted }) =>
      answer(
        () => sweepJson(swept(askableOf(load({ paths: [path], pasted: [] }), assume), wanted)) as unknown as Sweep,
      ),
    lines: (paths, file) =>
      answer(() => {
        const text = load({ paths, pasted: [] }).inputs.find((i) => i.path === file)?.text;
        if (text === undefined) throw new Failure(EXIT.noInput, message("error.no-file-in-it", { file }));
        return text.split(/\r?\n/);
      }),
  };
}

/** Walks of one call: an agent does not wait for ever. */
const MOST_WALKS = 400;

function swept(askable: Askable, wanted: Wanted): Swept {
  const walking = sweep(askable, wanted);
  for (let walks = 0; ; walks++) {
    const step = walking.next();
    if (step.done === true) return step.value;
    if (walks >= MOST_WALKS) return step.value.known();
  }
}

/** What the command line would have said on standard error goes back to whoever asked. */
function answer<T>(ask: () => T): Answer<T> {
  try {
    return { ok: true, value: harmless(ask()) };
  } catch (error) {
    if (error instanceof Failure || error instanceof BadRequest || error instanceof BadCaseFile)
      return { ok: false, message: safeText(error.message, false) };
    throw error;
  }
}

/** Text of a dump acts on nobody's terminal, whoever prints the answer in the end. */
const harmless = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value), (_, v: unknown) => (typeof v === "string" ? safeText(v, false) : v)) as T;
