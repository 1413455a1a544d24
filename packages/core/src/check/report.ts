import type { ObservedConnection } from "../evidence/index.ts";
import type { Counts, Text } from "../messages/index.ts";
import type { PassedOver } from "../parse/case/dump.ts";
import type { Diagnostic } from "../parse/diagnostic.ts";
import type { BundlesReport } from "./bundles.ts";
import type { DatapathReport } from "./datapaths.ts";
import type { DifferenceCode } from "./differences/draft.ts";

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
  readonly text: Text;
  readonly node: string;
  readonly stack: string;
  readonly evidence: readonly Evidence[];
}

/** Where a node is not as kube-proxy should have programmed it from the objects. */
export interface StateDifference {
  readonly code: DifferenceCode;
  readonly text: Text;
  readonly node: string;
  readonly service?: string;
  readonly endpoint?: string;
  /** The release that was expected, where nobody named it: the one that the rules look like, else the newest. */
  readonly likelyRelease?: string;
  readonly evidence: readonly Evidence[];
}

/** Something that would be needed for a full answer, and the command that shows it. */
export interface Missing {
  readonly node: string;
  readonly what: Text;
  readonly why: Text;
  readonly command: Text | string;
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
  readonly counts: Counts;
  /** What the content does not say and where it was learnt: `table nat: file name`. */
  readonly derived: readonly string[];
  /** Set where the dump is recognised but not read yet. */
  readonly notReadYet?: string;
}

/** A packet of a connection at one place. */
export interface SeenStep {
  readonly what: string;
  readonly place: string;
  readonly direction: string | null;
  readonly flow: string;
  readonly vlans: readonly number[];
  readonly tunnel: string | null;
  readonly times: number;
  readonly file: string;
  readonly line: number;
}

/** One connection through all captures. */
export interface SeenFlow {
  readonly protocol: string | null;
  readonly flow: string;
  /** Its addresses as translation left them, in order. */
  readonly forms: readonly string[];
  readonly outcome: ObservedConnection["outcome"];
  readonly meaning: string;
  readonly steps: readonly SeenStep[];
  readonly last: SeenStep | null;
}

/** One packet through the hooks that logged it. */
export interface SeenLog {
  readonly flow: string;
  readonly steps: readonly {
    readonly table: string | null;
    readonly hook: string | null;
    readonly chain: string | null;
    readonly rule: string | null;
    readonly in: string | null;
    readonly out: string | null;
    readonly changed: readonly string[];
    readonly file: string;
    readonly line: number;
  }[];
}

export interface SeenFact {
  readonly code: string;
  readonly text: string;
  readonly evidence: readonly Evidence[];
}

/** What was seen: captures, logs, clients. */
export interface SeenReport {
  readonly flows: readonly SeenFlow[];
  /** How many more connections there were. */
  readonly left: number;
  readonly logged: readonly SeenLog[];
  readonly facts: readonly SeenFact[];
  readonly symptoms: readonly {
    readonly place: string;
    readonly tool: string;
    /** What was asked, by name or address. */
    readonly target: string | null;
    readonly result: string;
    readonly text: string;
    readonly file: string;
    readonly line: number;
  }[];
}

export interface CheckReport {
  /** Support bundles among the files, and what they cannot say. */
  readonly bundles: BundlesReport;
  /** What takes packets off the way that is walked. */
  readonly otherDatapaths: readonly DatapathReport[];
  readonly dumps: readonly DumpLine[];
  /** Errors and warnings of the readers. */
  readonly notUnderstood: readonly Diagnostic[];
  readonly notes: readonly Diagnostic[];
  readonly passedOver: readonly PassedOver[];
  readonly contradictions: readonly Contradiction[];
  readonly differences: readonly StateDifference[];
  readonly missing: readonly Missing[];
  readonly seen: SeenReport;
  readonly placeholders: readonly {
    readonly name: string;
    readonly value: string | null;
    readonly evidence: readonly Evidence[];
  }[];
}

/** Prose and missing dumps are no fault; what was not understood, contradicts itself or is not as it should be is. */
export const isClean = (report: CheckReport): boolean =>
  report.notUnderstood.length === 0 && report.contradictions.length === 0 && report.differences.length === 0;
