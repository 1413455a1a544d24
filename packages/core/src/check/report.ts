import type { PassedOver } from "../parse/case/dump.ts";
import type { Diagnostic } from "../parse/diagnostic.ts";

/** A line that proves something. */
export interface Evidence {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Two things in the dumps that cannot both be so. */
export interface Contradiction {
  /** Stable, upper case: `SET_NOT_THERE`. */
  readonly code: string;
  readonly text: string;
  readonly node: string;
  readonly stack: string;
  readonly evidence: readonly Evidence[];
}

/** Something that would be needed for a full answer, and the command that shows it. */
export interface Missing {
  readonly node: string;
  readonly what: string;
  readonly why: string;
  readonly command: string;
}

/** One dump, as `check` lists it. */
export interface DumpLine {
  /** Null for what belongs to the cluster and not to a node. */
  readonly node: string | null;
  /** The node's own stack has the node's name. */
  readonly stack: string | null;
  readonly dialect: string;
  readonly title: string;
  readonly file: string;
  readonly lines: readonly [number, number];
  readonly partial: boolean;
  readonly counts: Readonly<Record<string, number>>;
  /** What the content does not say and where it was learnt: `table nat: file name`. */
  readonly derived: readonly string[];
  /** Set where the dump is recognised but not read yet. */
  readonly notReadYet?: string;
}

export interface CheckReport {
  readonly dumps: readonly DumpLine[];
  /** Errors and warnings of the readers. */
  readonly notUnderstood: readonly Diagnostic[];
  readonly notes: readonly Diagnostic[];
  readonly passedOver: readonly PassedOver[];
  readonly contradictions: readonly Contradiction[];
  readonly missing: readonly Missing[];
  readonly placeholders: readonly {
    readonly name: string;
    readonly value: string | null;
    readonly evidence: readonly Evidence[];
  }[];
}

/** Prose and missing dumps are no fault of the input; what was not understood or contradicts itself is. */
export const isClean = (report: CheckReport): boolean =>
  report.notUnderstood.length === 0 && report.contradictions.length === 0;
