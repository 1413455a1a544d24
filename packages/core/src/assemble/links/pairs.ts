import { type Device, derived, type Link, type LinkEnd, type Origin, type Stack } from "../../model/index.ts";

interface End {
  readonly stack: Stack;
  readonly device: Device;
}

const keyOf = (stack: string, device: string): string => `${stack}\n${device}`;
export const endKey = (end: LinkEnd): string => keyOf(end.stack, end.device);

export const vethLink = (a: End, b: End, origin: Origin): Link => ({
  type: "veth",
  ends: [
    { stack: a.stack.name, device: a.device.name },
    { stack: b.stack.name, device: b.device.name },
  ],
  origin,
});

const mayBeVeth = (d: Device): boolean => d.kind === "veth" || d.kind === "unknown" || d.kindOrigin !== undefined;

/** Stacks whose devices could share a veth pair: a node and what runs on it, or what might. */
function related(a: Stack, b: Stack): boolean {
  const host = (s: Stack) => (s.kind === "node" || s.node === undefined ? s.name : s.node);
  if (a.kind === "node" && b.kind === "node") return false;
  return (
    host(a) === host(b) || (a.node === undefined && a.kind !== "node") || (b.node === undefined && b.kind !== "node")
  );
}

/** Two ends name each other by index, each seen from its own namespace. */
const nameEachOther = (a: Device, b: Device): boolean =>
  a.index !== undefined && b.index !== undefined && a.peer?.index === b.index && b.peer?.index === a.index;

/**
 * veth pairs that the dumps themselves show: `eth0@if29` in a pod and index 29 on its node, which names the pod's index back;
 * or two devices of one stack that name each other. An index that fits on two nodes proves nothing.
 */
export function vethPairs(stacks: readonly Stack[], taken: ReadonlySet<string>): readonly Link[] {
  const ends: End[] = stacks.flatMap((stack) =>
    stack.devices.items
      .filter((d) => d.peer !== undefined && mayBeVeth(d) && !taken.has(keyOf(stack.name, d.name)))
      .map((device) => ({ stack, device })),
  );
  const byIndex = new Map<number, End[]>();
  for (const end of ends) {
    if (end.device.index === undefined) continue;
    const same = byIndex.get(end.device.index);
    if (same === undefined) byIndex.set(end.device.index, [end]);
    else same.push(end);
  }
  const used = new Set<string>();
  const links: Link[] = [];
  for (const a of ends) {
    const key = keyOf(a.stack.name, a.device.name);
    if (used.has(key)) continue;
    const others = partners(a, ends, byIndex).filter((b) => !used.has(keyOf(b.stack.name, b.device.name)));
    if (others.length !== 1) continue;
    const [b] = others;
    used.add(key);
    used.add(keyOf(b!.stack.name, b!.device.name));
    links.push(vethLink(a, b!, derived("each end names the other", a.device.origin, b!.device.origin)));
  }
  return links;
}

function partners(a: End, ends: readonly End[], byIndex: ReadonlyMap<number, readonly End[]>): readonly End[] {
  const { name, index } = a.device.peer!;
  if (index !== undefined) {
    const there = (byIndex.get(index) ?? []).filter(
      (b) => b.stack !== a.stack && related(a.stack, b.stack) && nameEachOther(a.device, b.device),
    );
    // A pair shown by the node's own dump and the pod's: prefer the node it is known to run on.
    const own = there.filter((b) => b.stack.name === a.stack.node || b.stack.node === a.stack.name);
    return own.length > 0 ? own : there;
  }
  return ends.filter(
    (b) => b !== a && b.stack === a.stack && b.device.name === name && b.device.peer?.name === a.device.name,
  );
}
