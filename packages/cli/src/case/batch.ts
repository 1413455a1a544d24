import { readFileSync } from "node:fs";
import { type Askable, BadRequest, type QuestionOptions, tracedJson } from "@hairpin/core/diagnose/index.ts";
import { jsonText } from "@hairpin/core/messages/printable.ts";
import type { World } from "@hairpin/core/model/index.ts";
import { EXIT, Failure } from "../exit-status.ts";

const OPTIONS = ["from", "to", "proto", "in", "node", "via", "bind", "sport", "size", "family"] as const;

/**
 * `trace --batch`: a question a line, an answer a line, in the same order. The status: 0, or 65 if one failed. `verdicts`: not the
 * way of each packet, only what the client sees.
 */
export function runBatch(
  askable: Askable,
  world: World,
  file: string,
  defaults: QuestionOptions,
  verdicts: boolean,
  write: (text: string) => void,
): number {
  const lines = readLines(file);
  let failed = false;
  for (const [i, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const answer = answerLine(askable, world, line, i + 1, defaults, verdicts);
    if ("error" in answer) failed = true;
    write(`${jsonText(answer)}\n`);
  }
  return failed ? EXIT.badData : 0;
}

/** What the walk alone comes to, and what it rests on: no step is made of it, and nothing that was observed is weighed. */
function walkedVerdict(askable: Askable, question: QuestionOptions, world: World): Record<string, unknown> {
  const { verdict, leaning, reachableShare, clientSees, restsOn } = askable.walked(question, world);
  return { verdict, leaning: leaning ?? null, reachableShare, clientSees, restsOn };
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8").split(/\r?\n/);
  } catch (error) {
    throw new Failure(EXIT.noInput, `--batch ${file}: ${(error as Error).message}`);
  }
}

function answerLine(
  askable: Askable,
  world: World,
  line: string,
  number: number,
  defaults: QuestionOptions,
  verdicts: boolean,
): Record<string, unknown> {
  let query: Record<string, unknown>;
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw new Error("not an object");
    query = parsed as Record<string, unknown>;
  } catch (error) {
    return { id: null, error: `line ${number}: ${(error as Error).message}` };
  }
  const id = query.id ?? null;
  const input: Record<string, unknown> = {};
  for (const name of OPTIONS) if (query[name] !== undefined && query[name] !== null) input[name] = query[name];
  const wrong = OPTIONS.find(
    (n) => input[n] !== undefined && typeof input[n] !== "string" && typeof input[n] !== "number",
  );
  if (wrong !== undefined) return { id, error: `line ${number}: ${wrong} must be a string or a number` };
  try {
    const question = { ...defaults, ...input } as QuestionOptions;
    if (verdicts) return { id, ...walkedVerdict(askable, question, world) };
    const { exploration } = askable.ask(question, world);
    return { id, schema: "hairpin/trace/1", ...tracedJson(exploration.branches) };
  } catch (error) {
    if (error instanceof BadRequest) return { id, error: error.message };
    throw error;
  }
}
