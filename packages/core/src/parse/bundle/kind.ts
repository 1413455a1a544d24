/** What a file of a bundle is. */
export interface FileRole {
  /** The command whose output it is. */
  readonly command?: string;
  /** The network namespace it was run in, where it is not the node's own. */
  readonly stack?: string;
  /** The node, where the path names it. */
  readonly node?: string;
}

/** A file that is read. The first rule whose pattern fits says what it is; what no rule names is not read. */
export interface FileRule {
  /** Of the path below the bundle's own folder. */
  readonly path: RegExp;
  readonly role: (match: RegExpExecArray) => FileRole | undefined;
}

/** Where the name of the machine stands, the surest first. */
export type NameSource =
  | { readonly file: RegExp; readonly read: (text: string) => string | undefined }
  /** The names of the archive and the folders that hold the bundle, innermost first. */
  | { readonly folder: RegExp };

/** A support bundle: how it is recognised, what its files are, and what no such bundle holds. */
export interface BundleKind {
  /** Stable id, also shown by `check`: `sos`. */
  readonly id: string;
  /** Name for people: `sos report`. */
  readonly title: string;
  /**
   * Paths below the bundle's own folder of which one of each group is there; `*` stands for any part of a name. They are files
   * that are read.
   */
  readonly marks: readonly (readonly string[])[];
  readonly files: readonly FileRule[];
  /** Absent where a bundle is of a cluster, or its paths name the nodes. */
  readonly names?: readonly NameSource[];
  /** What it should hold of each node, for `check` to say what is missing or empty in this one. */
  readonly expected?: readonly Expected[];
  /** Commands whose output no bundle of this kind holds, though an answer may need it. */
  readonly lacks: readonly string[];
  /** Why something may be missing without a trace: what its collector prints elsewhere. */
  readonly lost: LostOutput;
}

export interface Expected {
  readonly path: RegExp;
  readonly command: string;
}

/**
 * What becomes of what the collector's commands print to their error stream: it stands in their files, in a log of its own, or only
 * on the terminal of who ran it.
 */
export type LostOutput = "in the files" | "in a log" | "terminal only";

/** A file that is a command's output. */
export const output = (path: RegExp, command: string | ((match: RegExpExecArray) => string | undefined)): FileRule => ({
  path,
  role: (match) => {
    const typed = typeof command === "string" ? command : command(match);
    return typed === undefined ? undefined : { command: typed };
  },
});

/** A file that says by itself what it is. */
export const read = (path: RegExp): FileRule => ({ path, role: () => ({}) });

export const firstWord = (text: string): string | undefined => /^\s*([A-Za-z0-9][\w.-]{0,252})\s*$/m.exec(text)?.[1];

/** The second word of `uname -a` is the machine's name. */
export const unameNode = (text: string): string | undefined => /^Linux ([A-Za-z0-9][\w.-]{0,252}) \d/m.exec(text)?.[1];
