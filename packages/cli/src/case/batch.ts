import { readFileSync } from "node:fs";
import { type Askable, BadRequest, type QuestionOptions, tracedJson, Verdicts } from "@hairpin/core/diagnose/index.ts";
import { text } from "@hairpin/core/messages/index.ts";
import { jsonText } from "@hairpin/core/messages/printable.ts";
import type { World } from "@hairpin/core/model/index.ts";
import { EXIT, Failure } from "../exit-status.ts";

const OPTIONS = ["from", "to", "proto", "in", "node", "via", "bind", "sport", "size", "family"] as const;
const NAMES: ReadonlySet<string> = new Set(OPTIONS);

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
  const told = verdicts ? new Verdicts(askable, world) : undefined;
  const traced = (question: QuestionOptions): string => {
    const inquiry = askable.ask(question, world);
    const { branches } = inquiry.exploration;
    return jsonText({ schema: "hairpin/trace/1", ...tracedJson(branches, askable.holdsFor(inquiry, world)) });
  };
  const answer = (question: QuestionOptions): string => told?.of(question) ?? traced(question);
  let failed = false;
  let waiting = "";
  for (const [i, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const query = queryOf(line, i + 1, defaults);
    const { id, said } =
      "error" in query ? { id: query.id, said: query } : { id: query.id, said: answered(query.question, answer) };
    if (typeof said !== "string") failed = true;
    waiting +=
      typeof said === "string"
        ? `{"id":${jsonText(id)},${said.slice(1)}\n`
        : `${jsonText({ id, error: said.error })}\n`;
    if (waiting.length < AT_ONCE) continue;
    write(waiting);
    waiting = "";
  }
  if (waiting !== "") write(waiting);
  return failed ? EXIT.badData : 0;
}

/** So many characters are written at once. */
const AT_ONCE = 1 << 16;

interface Failed {
  readonly id: unknown;
  readonly error: string;
}

function answered(
  question: QuestionOptions,
  answer: (question: QuestionOptions) => string,
): string | Pick<Failed, "error"> {
  try {
    return answer(question);
  } catch (error) {
    if (error instanceof BadRequest) return { error: error.message };
    throw error;
  }
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8").split(/\r?\n/);
  } catch (error) {
    throw new Failure(EXIT.noInput, text("error.batch", { value: file, why: (error as Error).message }));
  }
}

function queryOf(
  line: string,
  number: number,
  defaults: QuestionOptions,
): Failed | { readonly id: unknown; readonly question: QuestionOptions } {
  let query: Record<string, unknown>;
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw new Error("not an object");
    query = parsed as Record<string, unknown>;
  } catch (error) {
    return { id: null, error: `line ${number}: ${(error as Error).message}` };
  }
  const id = query.id ?? null;
  const question: Record<string, unknown> = { ...defaults };
  let wrong = false;
  // What a line says, and not all it could say: of a batch each line has two or three of them.
  for (const name of Object.keys(query)) {
    const value = query[name];
    if (value === undefined || value === null || !NAMES.has(name)) continue;
    if (typeof value !== "string" && typeof value !== "number") wrong = true;
    question[name] = value;
  }
  if (!wrong) return { id, question: question as QuestionOptions };
  const isWrong = (value: unknown): boolean =>
    value !== undefined && value !== null && typeof value !== "string" && typeof value !== "number";
  return { id, error: `line ${number}: ${OPTIONS.find((n) => isWrong(query[n]))} must be a string or a number` };
}
