import type { DumpCluster } from "../given.ts";

/** Chains of a table that are the network's own, and its rules: those that it puts before kube-proxy's, and those behind them. */
export interface OwnRules {
  readonly heads?: string;
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
