import type { DumpLine, Missing } from "@hairpin/core/check/index.ts";
import type { QuestionOptions } from "@hairpin/core/diagnose/index.ts";
import type { Lang, Text } from "@hairpin/core/messages/index.ts";
import type { Verdict } from "@hairpin/core/trace/index.ts";
import type { AnswerParts } from "../report/answer.ts";

/** A file that somebody dropped, chose or pasted. */
export interface InputFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** What was given at once: a file, a folder or a bundle; or a whole case, whose paths begin in it. */
export interface Upload {
  readonly name: string;
  readonly files: readonly InputFile[];
  readonly whole: boolean;
}

/** What is asked, and under what: everything a shared state holds beside the files. */
export interface Query {
  readonly question: QuestionOptions;
  /** `ID=VALUE`, as `--assume` takes it. */
  readonly assume: readonly string[];
  /** Names of fixes in case.yaml, or commands, as `--try` takes them; each a list of lines that are tried together. */
  readonly patches: readonly Patch[];
}

export interface Patch {
  readonly name: string;
  readonly commands: readonly string[];
}

/** To be said in the page's language. */
export type Saying = string | Text | Readonly<Record<Lang, string>>;

/** What a load, or a saved state, brought. */
export interface Understood {
  readonly files: number;
  readonly bytes: number;
  readonly dumps: readonly DumpLine[];
  readonly notUnderstood: readonly Complaint[];
  readonly contradictions: readonly Saying[];
  /** Where a node is not as kube-proxy should have programmed it. */
  readonly differences: readonly { readonly node: string; readonly text: Saying }[];
  readonly missing: readonly Missing[];
  readonly notes: readonly Saying[];
  /** Lines that are no dump. */
  readonly passedOver: number;
  /** From case.yaml or a saved state. */
  readonly query: Query;
  /** Changes that case.yaml names. */
  readonly fixes: readonly Patch[];
  readonly controls: readonly { readonly name: string; readonly question: QuestionOptions }[];
}

export interface Complaint {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly reason: Saying;
}

/** An open fact the walk asked, or something it took for granted. */
export interface Settable {
  readonly id: string;
  readonly text: string;
  /** What it is taken as; undefined: open. */
  readonly value: string | undefined;
  /** Values it may have, where they are known. */
  readonly values: readonly string[];
  readonly kind: "open" | "assumed" | "settled";
}

/** A change that may be tried. */
export interface Trial extends Patch {
  readonly summary: string;
  /** Proposed and proved above; its commands stand there. */
  readonly proposed: boolean;
}

/** An answer; its parts as markup, made and escaped by the worker. */
export interface Answered {
  readonly verdict: Verdict;
  /** The verdict without what is being tried. */
  readonly before: Verdict;
  readonly parts: { readonly [part in keyof AnswerParts]: string };
  readonly settable: readonly Settable[];
  readonly trials: readonly Trial[];
  readonly milliseconds: number;
}

/** How far a sweep is; its matrix as markup, once it is over or was stopped. */
export interface Swept {
  readonly answered: number;
  readonly flows: number;
  readonly html?: string;
}

/** What a saved state holds. */
export interface State {
  readonly files: readonly InputFile[];
  readonly query: Query;
}

/** Each call by name: what goes in and what comes out. */
export interface Calls {
  readonly load: { readonly args: { readonly given: readonly Upload[] }; readonly back: Understood };
  /** A saved state, opened; null where the text is none. */
  readonly state: { readonly args: { readonly json: string }; readonly back: State | null };
  readonly complete: {
    readonly args: { readonly text: string; readonly field: "from" | "to" };
    readonly back: readonly string[];
  };
  readonly ask: { readonly args: { readonly query: Query; readonly lang: Lang }; readonly back: Answered };
  readonly report: { readonly args: { readonly query: Query; readonly lang: Lang }; readonly back: string };
  readonly save: { readonly args: { readonly query: Query }; readonly back: string };
  readonly sweep: {
    readonly args: { readonly assume: readonly string[]; readonly lang: Lang; readonly step: "begin" | "go" | "show" };
    readonly back: Swept;
  };
  readonly compare: {
    readonly args: { readonly files: readonly InputFile[]; readonly query: Query; readonly lang: Lang };
    readonly back: string;
  };
}

export type CallName = keyof Calls;
export type Call = {
  [N in CallName]: { readonly id: number; readonly name: N; readonly args: Calls[N]["args"] };
}[CallName];

/** A reply carries the call's id; `problem` are sentences for people, `option` what it is about. */
export type Reply =
  | { readonly id: number; readonly back: unknown }
  | { readonly id: number; readonly problem: readonly (string | Text)[]; readonly option?: string | undefined };
