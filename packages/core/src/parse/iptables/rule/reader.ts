import type { Counters, IptablesBackend, IptablesTableName, Origin } from "../../../model/index.ts";
import type { Family } from "../../../net/index.ts";
import type { Severity } from "../../diagnostic.ts";

/** Says something about a word of the line being read. */
export type Report = (severity: Severity, code: string, message: string, word: number) => void;

/** What a rule is read with. */
export interface RuleSetting {
  readonly family: Family;
  readonly backend: IptablesBackend;
  /** Undefined where it is still to be derived. */
  readonly table: IptablesTableName | undefined;
  readonly chain: string;
  readonly origin: Origin;
  readonly counters: Counters | undefined;
  readonly report: Report;
}
