import { SWEPT_4, SWEPT_6, type SweptAddresses } from "../swept-addresses.ts";
import type { SweptCluster } from "../swept-cluster.ts";
import { DEVICES } from "./devices.ts";
import { MISSING } from "./missing.ts";
import { OBSERVED } from "./observed.ts";
import { PORTS } from "./ports.ts";
import { ROUTES } from "./routes.ts";
import { RULES } from "./rules.ts";
import { RULESETS } from "./rulesets.ts";
import { SERVERS } from "./servers.ts";
import { SUSPECTED } from "./suspected.ts";

/** Something that dumps of a cluster may have beside what sets it up: on one node, or on all. */
export interface Variation {
  readonly kind: (typeof VARIATIONS)[number];
  readonly node: number;
  /** Which pod, node or Service it is about, and how. */
  readonly at: number;
  readonly everywhere: boolean;
}

/** What a variation has to do with. */
export interface Varied {
  readonly files: Record<string, string>;
  readonly folder: string;
  readonly n: number;
  readonly at: number;
  readonly family: 4 | 6;
  readonly nodes: number;
  readonly pods: number;
  readonly services: number;
  readonly addresses: SweptAddresses;
}

export type Vary = (given: Varied) => void;

const ALL: Readonly<Record<string, Vary>> = {
  ...RULES,
  ...ROUTES,
  ...DEVICES,
  ...PORTS,
  ...SERVERS,
  ...RULESETS,
  ...OBSERVED,
  ...SUSPECTED,
  ...MISSING,
};
export const VARIATIONS: readonly string[] = Object.keys(ALL);

/** The same dumps with some of it. */
export function varied(
  files: Readonly<Record<string, string>>,
  given: Pick<SweptCluster, "nodes" | "pods" | "services" | "family">,
  variations: readonly Variation[],
): Record<string, string> {
  const made = { ...files };
  const { nodes, pods, services, family = 4 } = given;
  for (const { kind, node, at, everywhere } of variations)
    for (let n = 0; n < nodes; n++) {
      if (!everywhere && n !== node % nodes) continue;
      const addresses = family === 6 ? SWEPT_6 : SWEPT_4;
      ALL[kind]!({ files: made, folder: `nodes/node-${n}`, n, at, family, nodes, pods, services, addresses });
    }
  return made;
}
