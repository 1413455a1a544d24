import { largest } from "../../net/append.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";

/** Who puts fragments together (enum ip_defrag_users); each has queues of its own. */
export type DefragUser = "local deliver" | "conntrack" | "underlay";

interface Queue {
  readonly held: Skb[];
}

const HEADER = 20;
const QUEUES = "fragments/";

/**
 * Holds a fragment until all of its packet are there. Follows ip_defrag() (net/ipv4/ip_fragment.c). True: the packet is whole, and
 * `skb` is now that packet, with the metadata of its first fragment.
 */
export function ipDefrag(kernel: Kernel, skb: Skb, user: DefragUser): boolean {
  const { fragment } = skb.packet;
  if (fragment === undefined) return true;
  const key = `${QUEUES}${user}/${fragment.id}`;
  const queue = (kernel.scratch.get(key) as Queue | undefined) ?? { held: [] };
  kernel.scratch.set(key, queue);
  queue.held.push(skb);
  queue.held.sort((a, b) => a.packet.fragment!.offset - b.packet.fragment!.offset);
  const payload = payloadOf(queue.held);
  if (payload === undefined) return false;
  kernel.scratch.delete(key);
  const [first] = queue.held;
  const { mark } = first!;
  const { fragment: _, ...header } = first!.packet;
  skb.fragMaxSize = largest(
    0,
    queue.held.map((s) => s.packet.length),
  );
  skb.packet = { ...header, length: payload + HEADER };
  skb.mark = mark;
  return true;
}

/** Fragments of a leg that wait for the rest of their packet; in the end they are thrown away (ip_expire()). */
export function heldFragments(kernel: Kernel, leg: number): readonly Skb[] {
  const queues = [...kernel.scratch].filter(([key]) => key.startsWith(QUEUES)).map(([, queue]) => queue as Queue);
  return queues.flatMap(({ held }) => held).filter((s) => s.leg === leg);
}

/** Bytes of the payload, where no fragment is missing. */
function payloadOf(held: readonly Skb[]): number | undefined {
  let next = 0;
  let last = false;
  for (const { packet } of held) {
    if (packet.fragment!.offset > next) return undefined;
    next = Math.max(next, packet.fragment!.offset + packet.length - HEADER);
    last = !packet.fragment!.more;
  }
  return last ? next : undefined;
}
