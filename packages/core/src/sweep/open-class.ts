import { type Address, formatAddress, protocolName } from "../net/index.ts";
import type { Answer } from "./answer.ts";
import type { Group } from "./flow.ts";
import type { KnownClass } from "./memory/memory.ts";
import { askedOf, type Flow } from "./plan.ts";
import type { SweptClass } from "./swept.ts";

/** A class while members come in, and when all came. */
export interface Open {
  readonly id: string;
  /** Which of its group's it is. */
  readonly number: number;
  readonly first: Flow;
  readonly answer: Answer;
  /** What it rests on, for the next sweep. */
  known: KnownClass | undefined;
  flows: number;
  /** Of which nodes its members are, and what they ask, as long as some come in; then how many that is. */
  nodes: Set<string | null> | number;
  addresses: Set<Address> | number;
  /** As it was told last. */
  told: SweptClass | undefined;
}

export const opened = (
  group: Group,
  number: number,
  { first, answer }: Pick<KnownClass, "first" | "answer">,
): Open => ({
  id: classId(group, number),
  number,
  first,
  answer,
  known: undefined,
  flows: 1,
  nodes: new Set([first.source.node]),
  addresses: new Set([first.target.address]),
  told: undefined,
});

export const classId = (group: Group, number: number): string => `${group.number}.${number}`;

export function join(known: Open, { source, target }: Flow, flows: number): void {
  known.flows += flows;
  if (typeof known.nodes !== "number") known.nodes.add(source.node);
  if (typeof known.addresses !== "number") known.addresses.add(target.address);
}

/** Nobody joins it any more: of tens of thousands of classes the sets would be looked at whenever garbage is collected. */
export function seal(known: Open): void {
  known.nodes = countOf(known.nodes);
  known.addresses = countOf(known.addresses);
}

export const countOf = (some: ReadonlySet<unknown> | number): number => (typeof some === "number" ? some : some.size);

/** What is said of it. A class that nobody joined since says the same. */
export function closed(open: Open): SweptClass {
  if (open.told?.flows !== open.flows) open.told = told(open);
  return open.told;
}

function told({ id, first, answer, nodes, addresses, flows }: Open): SweptClass {
  const { source, target } = first;
  const asked = countOf(addresses);
  const several = asked > 1 && (target.kind === "pod" || target.kind === "kubelet");
  return {
    id,
    from: { kind: source.kind, node: source.node, nodes: countOf(nodes), example: source.from },
    to: {
      kind: target.kind,
      service: several ? null : target.name,
      address: formatAddress(target.address),
      addresses: asked,
      port: target.port,
      via: target.via,
    },
    proto: protocolName(target.protocol),
    family: target.family,
    flows,
    ...answer,
    example: askedOf(first),
  };
}
