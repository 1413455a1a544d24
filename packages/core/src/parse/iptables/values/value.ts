import type { IptablesBackend } from "../../../model/index.ts";
import type { Family } from "../../../net/index.ts";

/** What a value's meaning may depend on. */
export interface ValueContext {
  readonly family: Family;
  readonly backend: IptablesBackend;
}

/** A kind of option value: how its words are read, and how iptables-save prints what was read. */
export interface Value<T> {
  /** How many words follow the option. */
  readonly words: 0 | 1 | 2;
  /** The one word may be missing (getopt's optional_argument in the old extensions). */
  readonly optional?: boolean;
  /** For people: "a port or a range of ports". */
  readonly expects: string;
  /** Undefined: not such a value. */
  readonly read: (words: readonly string[], context: ValueContext) => T | undefined;
  print(value: T): readonly string[];
}

/** A value of one word. */
export const single = <T>(
  expects: string,
  read: (word: string, context: ValueContext) => T | undefined,
  print: (value: T) => string = String,
): Value<T> => ({
  words: 1,
  expects,
  read: (words, context) => read(words[0] ?? "", context),
  print: (value) => [print(value)],
});

/** An option without a value. */
export const flag: Value<true> = { words: 0, expects: "no value", read: () => true, print: () => [] };

/** Checks a value further. */
export const where = <T>(value: Value<T>, holds: (read: T) => boolean, expects = value.expects): Value<T> => ({
  ...value,
  expects,
  read: (words, context) => {
    const got = value.read(words, context);
    return got !== undefined && holds(got) ? got : undefined;
  },
});
