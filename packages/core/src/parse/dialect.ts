import type { Counts } from "../messages/index.ts";
import type { IptablesBackend, IptablesTableName } from "../model/index.ts";
import type { Family } from "../net/index.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { Facts } from "./facts.ts";
import type { SharedTexts } from "./iptables/lazy/shared-texts.ts";
import type { Source } from "./source.ts";

/** How something that content cannot say was learnt; shown as derived in `check`. */
export type ContextSource =
  | "case.yaml"
  | "bundle"
  | "command"
  | "prompt"
  | "file name"
  | "folder"
  | "content"
  | "default";

export interface Learnt<T> {
  readonly value: T;
  readonly by: ContextSource;
}

/** What is known about a dump from outside its content. */
export interface DumpContext {
  readonly node?: Learnt<string>;
  /** Stack within the node where it is not the node itself: a pod, container or namespace. */
  readonly stack?: Learnt<string>;
  /** The echoed command, words split as a shell would, pipes cut off; else the one the file's name stands for. */
  readonly command?: readonly string[];
  /** Output was filtered (grep, head, awk, one name asked for): what it lacks is not known to be absent. */
  readonly partial?: Learnt<string>;
  /** The commands the output went through, in order, words split: `grep -A 3 10.0.0.1`. */
  readonly filters?: readonly (readonly string[])[];
  readonly family?: Learnt<Family>;
  readonly routeTable?: Learnt<number | string>;
  readonly iptablesTable?: Learnt<IptablesTableName>;
  readonly iptablesBackend?: Learnt<IptablesBackend>;
  readonly captureDevice?: Learnt<string>;
  readonly device?: Learnt<string>;
  readonly moment?: Learnt<"before" | "after">;
}

export interface Reading {
  readonly facts: readonly Facts[];
  /** Of a dump that is read lazily, whoever asks for them has it read as a whole. */
  readonly diagnostics: readonly Diagnostic[];
  /** Those of them that are known without. */
  readonly remarks?: readonly Diagnostic[];
  /** Counts for `check`: { rules: 120, chains: 14 }. */
  readonly counts: Counts;
}

/**
 * How strongly a line claims to be of a dialect. `head` can only start such a dump, `line` can only be part of one,
 * `maybe` fits but fits prose or other dialects too, `no` does not fit.
 */
export type Claim = "head" | "line" | "maybe" | "no";

/** One dump dialect: how to recognise it line by line, which commands print it, and how to read it. */
export interface Dialect {
  /** Stable id, also shown by `check`: `iptables-save`, `ip-route`, `ipvsadm-ln`. */
  readonly id: string;
  /** Name for people: `iptables-save`. */
  readonly title: string;
  /** Whether this command line (words, without sudo, nsenter, pipes) prints this dialect. */
  readonly printedBy: (words: readonly string[]) => boolean;
  readonly claim: (line: string) => Claim;
  /** It prints no empty lines, and no line twice. */
  readonly unbroken?: true;
  /** Whether these lines, a whole file, are one dump of this kind; for documents whose single lines say little. */
  readonly fills?: (lines: readonly string[]) => boolean;
  /** The same of a large text, told and read without splitting it into lines; undefined where it has to be split. */
  readonly whole?: (text: string, kept?: KeptText) => WholeDump | undefined;
  readonly read: (source: Source, context: DumpContext) => Reading;
}

/** How a large text is kept. */
export interface KeptText {
  /** Below this it is not large. */
  readonly large?: number | undefined;
  /** What the tables of other files have in common with it is kept once. */
  readonly shared?: SharedTexts | undefined;
  /** The text once more, where it is not kept. */
  readonly again?: (() => string) | undefined;
}

/** A text that was found to be one dump as a whole, each of its lines sure. */
export interface WholeDump {
  readonly lines: number;
  read(file: string, context: DumpContext): Reading;
}
