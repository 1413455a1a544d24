import { say, type Text } from "@hairpin/core/messages/index.ts";

/**
 * One thing a fix wants of a node, in a form that can be looked at, put there and taken away again. What was there before is
 * plain JSON, so that the journal can hold it through a crash.
 */
export interface Item {
  /** The command it came from, as the fix words it. */
  readonly command: string;
  /** Whose chain, table or setting it changes: for messages. */
  readonly where: string;
  /** Without what was before, only whether it is there. */
  readonly look: (prior?: Prior) => Look;
  /** What revert needs, taken before anything is changed. Throws where the node cannot be read. */
  readonly before: () => Prior;
  /** Puts it there. Throws a Trouble that says why not. */
  readonly apply: (prior: Prior) => void;
  /** As it was before. What is already so is no trouble. */
  readonly revert: (prior: Prior) => void;
}

export type Prior = Readonly<Record<string, unknown>>;

/**
 * `displaced`: it is there, and something it must come before comes before it. `unknown`: the node did not let itself be
 * read.
 */
export type Look =
  | { readonly state: "present" | "absent" | "displaced" }
  | { readonly state: "unknown"; readonly why: Text };

/** Something on the node stands in the way. The message is its text in English. */
export class Trouble extends Error {
  readonly text: Text;
  constructor(of: Text) {
    super(say(of));
    this.text = of;
  }
}

export const looked = (state: () => "present" | "absent" | "displaced"): Look => {
  try {
    return { state: state() };
  } catch (error) {
    if (error instanceof Trouble) return { state: "unknown", why: error.text };
    throw error;
  }
};
