import { formatAddress } from "../../net/index.ts";
import { decisiveLeg } from "../../trace/index.ts";
import type { Inspected } from "../answer.ts";

/** What of a flow an expectation can be about beside its verdict. */
export interface FlowTraits {
  /** Whether whoever answers sees the client's own address; null: it is not answered, or not always the same. */
  readonly clientAddress: boolean | null;
  /** As it sees it. */
  readonly addresses: readonly string[];
  /** Nodes that the request passes, in every branch. */
  readonly nodes: readonly string[];
}

export function traitsOf({ question, exploration: { branches, world } }: Inspected): FlowTraits {
  const client = world.stacks.find((s) => s.name === question?.client);
  const own = new Set(client?.devices.items.flatMap((d) => d.addresses.map((a) => a.prefix.address)));
  const delivered = branches.filter((b) => b.request.disposition === "delivered" && decisiveLeg(b) !== b.request);
  const kept = delivered.map(({ request }) => own.has(request.final.src));
  const nodes = new Set(world.stacks.filter((s) => s.kind === "node").map((s) => s.name));
  const passed = branches.map(
    ({ request }) => new Set([...request.steps.map((s) => s.stack), request.stack].filter((n) => nodes.has(n))),
  );
  const [first = new Set<string>()] = passed;
  return {
    clientAddress: kept.length === 0 || kept.some((k) => k !== kept[0]) ? null : kept[0]!,
    addresses: [...new Set(delivered.map(({ request }) => formatAddress(request.final.src)))],
    nodes: [...first].filter((n) => passed.every((p) => p.has(n))),
  };
}
