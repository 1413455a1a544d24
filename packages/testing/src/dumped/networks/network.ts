import type { DumpCluster } from "../given.ts";

/** The rules of a network in one table, as lines: those that it puts before kube-proxy's, and those behind them; and chains of its own that have none. */
export interface OwnRules {
  readonly empty?: readonly string[];
  readonly first?: string;
  readonly last?: string;
}

/** How pods are attached to a node, and found from others. */
export interface PodNetwork {
  /** The dumps of a node but for its rules, by their names. */
  readonly dumps: (given: DumpCluster, n: number) => Readonly<Record<string, string>>;
  /** Who is known as a neighbour, and by which port: what `neighbours` adds. */
  readonly neighbours: (given: DumpCluster, n: number) => Readonly<Record<string, string>>;
  /** By table. */
  readonly rules: (given: DumpCluster, n: number) => Readonly<Record<string, OwnRules>>;
}
