import { loadedCase } from "@hairpin/case/index.ts";
import { type CheckReport, check } from "@hairpin/core/check/index.ts";
import {
  Askable,
  assumptionsOf,
  BadRequest,
  type Diagnosis,
  diagnose,
  type LoadedCase,
  whatIf,
} from "@hairpin/core/diagnose/index.ts";
import { assumptionText, diagnosticText, factText, type Lang, say, text } from "@hairpin/core/messages/index.ts";
import { parseFactId } from "@hairpin/core/model/index.ts";
import { askedPart, sweepable } from "@hairpin/core/sweep/index.ts";
import { partsThatFit } from "../../report/fit.ts";
import { type Assets, reportHtml } from "../../report/report.ts";
import type { Answered, Query, Settable, Swept, Trial, Understood, Upload } from "../protocol.ts";
import { completions, type Names, namesOf } from "./names.ts";
import { stateText } from "./state.ts";
import { SweepOfPage } from "./sweep.ts";
import { unpack } from "./unpack.ts";

const MOST_COMPLAINTS = 200;
const isCaseFile = (path: string): boolean => /(?:^|\/)case\.ya?ml$/.test(path);

/** What one worker holds: a case that was read, ready to be asked again and again. */
export class Session {
  #loaded: LoadedCase | undefined;
  #bytes = 0;
  #check: CheckReport | undefined;
  /** Without anything tried or assumed by hand. */
  #asItIs: Askable | undefined;
  #askable: { readonly key: string; readonly askable: Askable } | undefined;
  #names: Names | undefined;
  #sweep: SweepOfPage | undefined;

  async load(given: readonly Upload[]): Promise<Understood> {
    const { loaded, bytes } = await loadedFrom(given);
    this.#loaded = loaded;
    this.#bytes = bytes;
    this.#askable = undefined;
    this.#asItIs = undefined;
    this.#names = undefined;
    this.#sweep = undefined;
    this.#check = check(loaded.reading, loaded.inputs);
    return this.#understood();
  }

  #understood(): Understood {
    const { caseFile, inputs, notes } = this.#case();
    const report = this.#report();
    const { origin: _, ...question } = caseFile?.question ?? { origin: undefined };
    return {
      files: inputs.length,
      bytes: this.#bytes,
      dumps: report.dumps,
      notUnderstood: report.notUnderstood.slice(0, MOST_COMPLAINTS).map((d) => ({
        file: d.file,
        line: d.line,
        text: d.text,
        reason: inBoth((lang) => diagnosticText(d, lang)),
      })),
      contradictions: report.contradictions.map((c) => c.text),
      differences: report.differences.slice(0, MOST_COMPLAINTS).map(({ node, text }) => ({ node, text })),
      missing: report.missing,
      notes: [
        ...notes,
        ...report.notes
          .slice(0, MOST_COMPLAINTS)
          .map((n) => inBoth((lang) => `${n.file}:${n.line} ${diagnosticText(n, lang)}`)),
      ],
      passedOver: report.passedOver.reduce((n, p) => n + p.lines[1] - p.lines[0] + 1, 0),
      query: { question, assume: [], patches: [] },
      fixes: (caseFile?.fixes ?? []).map(({ name, commands }) => ({ name, commands })),
      controls: (caseFile?.controls ?? []).map(({ name, question: { origin: __, ...asked } }) => ({
        name,
        question: asked,
      })),
    };
  }

  complete(text: string, field: "from" | "to"): readonly string[] {
    this.#names ??= namesOf(this.#asking([]).world);
    return completions(this.#names[field], text);
  }

  ask(query: Query, lang: Lang): Answered {
    const start = performance.now();
    const { askable, base, shown } = this.#diagnosed(query);
    const changes = [...query.patches.flatMap((p) => p.commands), ...query.assume];
    const before =
      query.assume.length === 0 ? base.judgement.verdict : diagnose(this.#asking([]), query.question).judgement.verdict;
    const { verdict, why, fixes, walk, rest } = partsThatFit(
      { diagnosis: shown, quote: (f, l) => askable.quote(f, l), missing: this.#report().missing },
      lang,
      changes.length === 0 ? undefined : { changes, before },
    );
    return {
      verdict: shown.judgement.verdict,
      before,
      parts: { verdict: verdict.text, why: why.text, fixes: fixes.text, walk: walk.text, rest: rest.text },
      settable: settableOf(shown, askable, lang),
      trials: this.#trials(base, lang),
      milliseconds: Math.round(performance.now() - start),
    };
  }

  report(query: Query, lang: Lang, assets: Assets): string {
    const { askable, base, shown } = this.#diagnosed(query);
    const { missing } = this.#report();
    // The report is about how it is; what is being tried stands in it as tried.
    const patch = query.patches.map((p) => p.name).join(" + ");
    const commands = query.patches.flatMap((p) => p.commands);
    const tried = commands.length === 0 ? [] : [{ patch, commands, judgement: shown.judgement }];
    return reportHtml({ diagnosis: { ...base, tried }, quote: (f, l) => askable.quote(f, l), missing }, lang, assets);
  }

  save(query: Query): string {
    return stateText(this.#case().inputs, query);
  }

  /** Every flow, a turn at a time. */
  sweep(assume: readonly string[], lang: Lang, step: "begin" | "go" | "show"): Swept {
    if (step === "begin" || this.#sweep === undefined) this.#sweep = new SweepOfPage(sweepable(this.#case(), assume));
    return step === "show" ? this.#sweep.show(lang) : this.#sweep.go(lang);
  }

  /** The case with facts settled; assembling it is what takes time. */
  asking(assume: readonly string[]): Askable {
    return this.#asking(assume);
  }

  #diagnosed({ question, assume, patches }: Query): {
    readonly askable: Askable;
    readonly base: Diagnosis;
    readonly shown: Diagnosis;
  } {
    const askable = this.#asking(assume);
    const commands = patches.flatMap((p) => p.commands);
    const base = diagnose(commands.length === 0 ? askedPart(askable, question) : askable, question);
    const shown = commands.length === 0 ? base : whatIf(askable, base, question, commands);
    return { askable, base, shown };
  }

  #trials({ fixes }: Diagnosis, lang: Lang): readonly Trial[] {
    const named = this.#case().caseFile?.fixes ?? [];
    const proposed = fixes
      .filter((f) => f.commands.length > 0)
      .map((f) => ({ name: f.code, commands: f.commands, summary: say(f.summary, lang), proposed: true }));
    const known = new Set(proposed.map((p) => p.commands.join("\n")));
    return [
      ...proposed,
      ...named
        .filter((f) => !known.has(f.commands.join("\n")))
        .map((f) => ({ name: f.name, commands: f.commands, summary: f.name, proposed: false })),
    ];
  }

  #asking(assume: readonly string[]): Askable {
    if (assume.length === 0) {
      this.#asItIs ??= new Askable(this.#case(), []);
      return this.#asItIs;
    }
    const key = JSON.stringify(assume);
    if (this.#askable?.key !== key) this.#askable = { key, askable: new Askable(this.#case(), assume) };
    return this.#askable.askable;
  }

  #case(): LoadedCase {
    if (this.#loaded === undefined) throw new BadRequest(text("error.nothing-given"));
    return this.#loaded;
  }

  #report(): CheckReport {
    const { reading, inputs } = this.#case();
    this.#check ??= check(reading, inputs);
    return this.#check;
  }
}

export async function loadedFrom(
  given: readonly Upload[],
): Promise<{ readonly loaded: LoadedCase; readonly bytes: number }> {
  const { inputs, notes, bytes } = await unpack(given);
  const stated = [...inputs].sort((a, b) => a.path.length - b.path.length).find((i) => isCaseFile(i.path));
  if (inputs.length === 0) throw new BadRequest([text("error.nothing-in-it"), ...notes]);
  return { loaded: loadedCase({ inputs, stated, notes }), bytes };
}

const inBoth = (said: (lang: Lang) => string): Readonly<Record<Lang, string>> => ({ en: said("en"), zh: said("zh") });

const SYSCTL_VALUES = /\.(?:rp_filter|arp_ignore|arp_announce)$/;

/** Open facts the walk asked, facts that were settled by hand, and settings that nobody showed. */
function settableOf({ inquiry, judgement }: Diagnosis, askable: Askable, lang: Lang): readonly Settable[] {
  const { exploration } = inquiry;
  const decisive = new Set(judgement.decisiveFacts.map((f) => f.fact));
  const open = exploration.facts.map(
    (f): Settable => ({ id: f.id, text: say(factText(f.id), lang), value: undefined, values: f.values, kind: "open" }),
  );
  const settled = [...askable.assumed].map(
    ([id, value]): Settable => ({
      id,
      text: say(factText(id), lang),
      value,
      values: valuesOf(id, value),
      kind: "settled",
    }),
  );
  const taken = assumptionsOf(exploration.branches)
    .filter((a) => parseFactId(a.id).kind === "sysctl" && !askable.assumed.has(a.id))
    .map(
      (a): Settable => ({
        id: a.id,
        text: say(assumptionText(a.why), lang),
        value: a.value,
        values: valuesOf(a.id, a.value),
        kind: "assumed",
      }),
    );
  return [...settled, ...open.sort((a, b) => Number(decisive.has(b.id)) - Number(decisive.has(a.id))), ...taken];
}

function valuesOf(id: string, value: string): readonly string[] {
  const usual = !/^\d$/.test(value) ? ["yes", "no"] : SYSCTL_VALUES.test(id) ? ["0", "1", "2"] : ["0", "1"];
  return [...new Set([value, ...usual])];
}
