import { text } from "../messages/index.ts";
import { type CaseFile, isSees, SEES } from "../model/index.ts";
import type { QuestionSpec } from "../trace/index.ts";
import { BadRequest } from "./bad-request.ts";

/** The options of `trace` and `diagnose` that make up a question. */
export interface QuestionOptions {
  readonly from?: string;
  readonly to?: string;
  readonly proto?: string;
  readonly in?: string;
  readonly node?: string;
  readonly via?: string;
  readonly bind?: string;
  readonly sport?: string | number;
  readonly size?: string | number;
  /** 4, 6 or both. */
  readonly family?: string | number;
  /** What the client sees: `--sees`. */
  readonly sees?: string;
}

const FAMILIES: readonly string[] = ["4", "6", "both"];

/** What case.yaml states holds of its own flow: who types both ends asks about another. */
const statedOf = ({ from, to }: QuestionOptions, stated: CaseFile["question"]): CaseFile["question"] =>
  from !== undefined && to !== undefined ? undefined : stated;

/** `--family`, as typed or as case.yaml states it. */
export function familyOption(options: QuestionOptions, question: CaseFile["question"]): string | undefined {
  const family = options.family ?? statedOf(options, question)?.family;
  if (family !== undefined && !FAMILIES.includes(String(family)))
    throw new BadRequest(text("error.bad-family", { family, families: FAMILIES.join(", ") }), "family");
  return family === undefined ? undefined : String(family);
}

/** What is asked: as typed, and where nothing was typed as case.yaml states it. */
export function specOf(options: QuestionOptions, question: CaseFile["question"]): QuestionSpec {
  const stated = statedOf(options, question);
  const sees = options.sees ?? stated?.sees;
  if (sees !== undefined && !isSees(sees))
    throw new BadRequest(text("error.bad-sees", { sees, known: SEES.join(", ") }), "sees");
  const family = familyOption(options, question);
  const number = (value: string | number | undefined, name: string, max: number): number | undefined => {
    if (value === undefined) return undefined;
    const n = Number(value);
    if (!Number.isInteger(n) || n < 0 || n > max)
      throw new BadRequest(text("error.bad-number", { name, value, max }), name);
    return n;
  };
  return {
    from: options.from ?? stated?.from,
    to: options.to ?? stated?.to,
    proto: options.proto ?? stated?.proto,
    in: options.in ?? stated?.in,
    node: options.node ?? stated?.node,
    via: options.via ?? stated?.via,
    bind: options.bind ?? stated?.bind,
    sport: number(options.sport ?? stated?.sport, "sport", 65535),
    size: number(options.size ?? stated?.size, "size", 65535),
    family: family === "4" ? 4 : family === "6" ? 6 : undefined,
    sees,
  };
}
