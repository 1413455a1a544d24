/**
 * What the server asks of Hairpin. The command line hands it in: this package knows the protocol and what an agent is told, and
 * nothing of files. Every path and every word goes through the gates of the command line there.
 */
export interface Engine {
  readonly version: string;
  /** The folders under which cases may lie. */
  readonly roots: readonly string[];
  diagnose(request: Question): Answer<Diagnosis>;
  check(request: CaseRequest & { readonly node?: string | undefined }): Answer<Check>;
  diff(request: DiffRequest): Answer<Diff>;
  sweep(request: SweepRequest): Answer<Sweep>;
  /** All lines of a file of a case. */
  lines(paths: readonly string[], file: string): Answer<readonly string[]>;
  /** The node or pod that a fact is about, by its id. */
  stackOf(fact: string): string | null;
}

export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  /** What is wrong with the request, for whoever made it. */
  | { readonly ok: false; readonly message: string };

/** The output of a command that somebody ran since, pasted. */
export interface Pasted {
  readonly command: string;
  readonly output: string;
  readonly node?: string | undefined;
}

export interface CaseRequest {
  readonly paths: readonly string[];
  readonly pasted: readonly Pasted[];
}

export interface Question extends CaseRequest {
  readonly question: Readonly<Record<string, string | number>>;
  readonly assume: readonly string[];
  readonly try: readonly string[];
}

export interface DiffRequest {
  readonly a: string;
  readonly b?: string | undefined;
  readonly nodeA?: string | undefined;
  readonly nodeB?: string | undefined;
  readonly expected?: boolean | undefined;
  readonly mode?: "iptables" | "ipvs" | "nftables" | undefined;
  readonly assume: readonly string[];
}

export interface SweepRequest {
  readonly path: string;
  readonly assume: readonly string[];
  readonly from?: readonly string[] | undefined;
  readonly to?: readonly string[] | undefined;
  readonly node?: readonly string[] | undefined;
  readonly namespace?: readonly string[] | undefined;
}

interface SweptQuestion {
  readonly from: string;
  readonly to: string;
  readonly proto: string;
  readonly node?: string;
}

/** Of `hairpin/sweep/1`, what is told. */
export interface Sweep {
  readonly answered: number;
  readonly complete: boolean;
  readonly verdicts: Readonly<Record<string, number>>;
  readonly classes: readonly {
    readonly from: { readonly kind: string; readonly example: string };
    readonly to: {
      readonly service: string | null;
      readonly address: string;
      readonly port: number;
      readonly via: string | null;
    };
    readonly flows: number;
    readonly verdict: string;
    readonly clientSees: string | null;
    readonly causes: readonly { readonly code: string }[];
    readonly example: SweptQuestion;
  }[];
  readonly causes: readonly {
    readonly code: string;
    readonly at: string;
    readonly summary: string;
    readonly flows: number;
    readonly example: SweptQuestion;
    readonly fix: { readonly commands: readonly string[]; readonly heals: number } | null;
  }[];
  readonly undecided: readonly { readonly fact: string; readonly command: string | null; readonly flows: number }[];
}

export interface Line {
  readonly file: string;
  readonly line: number;
  readonly text: string | null;
}

/** Of `hairpin/diagnosis/1`, what is told. */
export interface Diagnosis {
  readonly question: Readonly<Record<string, unknown>>;
  readonly verdict: string;
  readonly reachableShare: number | null;
  readonly clientSees: string | null;
  readonly leaning: string | null;
  readonly causes: readonly {
    readonly code: string;
    readonly certainty: string;
    readonly summary: string;
    readonly direction?: string;
    readonly stack?: string;
    readonly step?: string;
    readonly evidence: readonly Line[];
  }[];
  readonly deaths: readonly {
    readonly share: number;
    readonly direction: string;
    readonly stack: string;
    readonly step: string;
    readonly drop: string | null;
    readonly summary: string;
    readonly evidence: readonly Line[];
  }[];
  readonly restsOn: readonly {
    readonly id: string;
    readonly fact: string;
    readonly why: string;
    readonly command: string | null;
    readonly otherwise: { readonly verdict: string; readonly cause?: string | null } | null;
  }[];
  readonly decisiveFacts: readonly {
    readonly fact: string;
    readonly text: string;
    readonly command: string | null;
    readonly outcomes: readonly { readonly value: string; readonly verdict: string }[];
  }[];
  /** The one command to run next. */
  readonly next: { readonly command: string; readonly node: string | null } | null;
  readonly contradictions: readonly string[];
  readonly assumptions: readonly string[];
  /** What was tried first, then what is proposed. */
  readonly fixes: readonly FixAnswer[];
  /** How many of them are proposed. */
  readonly proposed: number;
}

export interface FixAnswer {
  readonly code: string;
  readonly summary: string;
  readonly where: readonly string[];
  readonly commands: readonly string[];
  readonly undo: readonly string[];
  readonly costs: readonly string[];
  readonly remarks?: readonly string[];
  readonly proof: {
    readonly verdict: string;
    readonly flowsChecked: number;
    readonly flowsChanged: readonly Readonly<Record<string, unknown>>[];
  };
}

/** Of `hairpin/check/1`, what is told. */
export interface Check {
  readonly clean: boolean;
  readonly nodes: readonly string[];
  readonly dumps: readonly {
    readonly node: string | null;
    readonly stack: string | null;
    readonly dialect: string;
    readonly file: string;
    readonly lines: readonly number[];
    readonly partial: boolean;
  }[];
  readonly notUnderstood: readonly (Line & { readonly reason: string })[];
  readonly contradictions: readonly Remark[];
  readonly differences: readonly Remark[];
  readonly missing: readonly {
    readonly node?: string;
    readonly what: string;
    readonly why: string;
    readonly command: string;
  }[];
}

interface Remark {
  readonly code: string;
  readonly text: string;
  readonly evidence?: readonly { readonly file: string; readonly line: number; readonly text?: string | null }[];
}

/** Of `hairpin/diff/1`, what is told. */
export interface Diff {
  readonly a: string;
  readonly b: string;
  readonly same: boolean;
  readonly differences: readonly {
    readonly nodes: unknown;
    readonly flow: unknown;
    readonly a: { readonly ends: readonly End[] };
    readonly b: { readonly ends: readonly End[] };
    readonly elements: readonly Element[];
  }[];
  readonly undecided: readonly { readonly why: string; readonly element: Element }[];
  readonly notShown: readonly unknown[];
}

interface End {
  readonly disposition: string;
  readonly stack: string;
  readonly step: string;
  readonly drop: string | null;
  readonly to: string;
}

interface Element {
  readonly kind: string;
  readonly where: string;
  readonly change: string;
  readonly a: readonly Line[];
  readonly b: readonly Line[];
}
