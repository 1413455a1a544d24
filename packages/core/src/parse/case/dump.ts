import type { Diagnostic } from "../diagnostic.ts";
import type { Dialect, DumpContext, Learnt, Reading } from "../dialect.ts";
import type { Placeholder } from "../transcript/placeholder.ts";

/** One dump of a case: what it is, where it stands, whose it is, and what it says. */
export interface Dump {
  readonly dialect: Pick<Dialect, "id" | "title">;
  readonly file: string;
  /** First and last line, counted from 1. */
  readonly lines: readonly [number, number];
  readonly node: Learnt<string>;
  /** Absent: the node's own network namespace. */
  readonly stack?: Learnt<string>;
  /** Objects of the cluster belong to no node. */
  readonly cluster: boolean;
  readonly context: DumpContext;
  readonly reading: Reading;
}

export interface PassedOver {
  readonly file: string;
  readonly lines: readonly [number, number];
}

/** All that was read of a case. */
export interface CaseReading {
  readonly dumps: readonly Dump[];
  readonly passedOver: readonly PassedOver[];
  readonly placeholders: readonly Placeholder[];
  /** Other names the same node goes by: the prompt's host name in a folder that names the node. */
  readonly aliases: ReadonlyMap<string, string>;
  /** What concerns the case as a whole and no dump. */
  readonly diagnostics: readonly Diagnostic[];
}
