import type { Ipv4 } from "../../net/index.ts";

/**
 * What is one question's own gets a number, in the order in which it is met: its addresses, the Services they are of. Two questions of which
 * the same is said under these numbers differ in names alone. Undefined: it is everybody's, and called by its name.
 */
export interface Renaming {
  address(address: Ipv4): number | undefined;
  service(name: string): number | undefined;
}

/** All that the lines of one table say of one question's addresses, under a renaming. */
export interface OwnLines {
  /** Takes what is said of an address, and of the chains that lines about it lead to. False: too much is said, or what has no such form. */
  add(address: Ipv4): boolean;
  /** The chains named after a hash that these lines are in, or lead to. */
  readonly chains: readonly string[];
  /** Once all are added. */
  text(): string;
  /** Whether nothing in it looks at more of an address than whether it is equal to another, or in a network. */
  isPlain(): boolean;
}

/** Lines of a table known as text, told apart by whom they are about. */
export interface LinesByOwner {
  linesFor(renaming: Renaming): OwnLines;
}

/** The networks that lines of a table speak of, as first and last address. */
export interface NetworksOfText {
  /** And all addresses, those of networks included. */
  readonly addresses: Iterable<number>;
  readonly networks: readonly (readonly [number, number])[];
  /** Whether something stands there that is neither an address nor a prefix: a range, a mask with holes. */
  readonly irregular: boolean;
}
