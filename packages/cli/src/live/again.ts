import { Askable, type Diagnosis, diagnose, type LoadedCase } from "@hairpin/core/diagnose/index.ts";
import { type Lang, say, text } from "@hairpin/core/messages/index.ts";
import { type Compared, comparisonOf } from "../case/compared.ts";
import { Failure } from "../exit-status.ts";
import { diffJson } from "../report/diff-json.ts";
import { diffText } from "../report/diff-text.ts";
import type { Style } from "../report/style.ts";

/** The bundle of an earlier answer, beside what was read now. */
export interface Again {
  readonly file: string;
  readonly before: LoadedCase;
  readonly now: LoadedCase;
  readonly diagnosis: Diagnosis;
}

interface Moments {
  readonly then: Diagnosis;
  /** Absent where the two have no node in common. */
  readonly compared?: {
    readonly a: Compared;
    readonly b: Compared;
    readonly comparison: Parameters<typeof diffJson>[0];
  };
}

function moments({ file, before, now }: Again): Moments {
  const then = diagnose(new Askable(before, []), {});
  try {
    const load = (path: string) => (path === file ? before : now);
    return { then, compared: comparisonOf([file, say(text("live.now"))], { assume: [] }, load) };
  } catch (problem) {
    if (problem instanceof Failure) return { then };
    throw problem;
  }
}

const codes = ({ causes }: Diagnosis): readonly string[] => causes.map((c) => c.code);

/** What the answer was, what it is, and what differs in meaning on the nodes that both moments show. */
export function againText(
  again: Again,
  { style, lang, verbose }: { style: Style; lang: Lang; verbose: boolean },
): string {
  const { then, compared } = moments(again);
  const was = text(`verdict.${then.judgement.verdict}`);
  const is = text(`verdict.${again.diagnosis.judgement.verdict}`);
  const lead = say(was.id === is.id ? text("live.still", { verdict: is }) : text("live.was-is", { was, is }), lang);
  const rest = compared === undefined ? `${say(text("live.nothing-common"), lang)}\n` : "";
  const diff =
    compared === undefined ? "" : diffText(compared.comparison, compared.a, compared.b, { style, lang, verbose });
  return `\n${style.bold(lead)}\n${rest}\n${diff}`;
}

export function againJson(again: Again): unknown {
  const { then, compared } = moments(again);
  return {
    file: again.file,
    verdict: then.judgement.verdict,
    causes: codes(then),
    ...(compared !== undefined && { changes: diffJson(compared.comparison, compared.a, compared.b) }),
  };
}
