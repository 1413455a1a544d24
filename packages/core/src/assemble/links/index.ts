import { assumed, type CaseFile, type Device, type Link, type LinkEnd, type Stack } from "../../model/index.ts";
import type { Ledger } from "../ledger.ts";
import { withChildren } from "./children.ts";
import { endsOf, withGateway } from "./gateway.ts";
import { endKey, vethPairs } from "./pairs.ts";
import { statedLinks } from "./stated.ts";
import { joinToHost } from "./to-host.ts";

export interface Linked {
  readonly stacks: readonly Stack[];
  readonly links: readonly Link[];
}

const replace = (stacks: readonly Stack[], changed: Stack): readonly Stack[] =>
  stacks.map((s) => (s.name === changed.name ? changed : s));

const isGuest = (s: Stack): boolean => s.kind === "pod" || s.kind === "vm";

/** Joins the stacks of a World: by what case.yaml says, by what the dumps prove, and the rest by the fabric. */
export function linkStacks(input: readonly Stack[], caseFile: CaseFile | undefined, ledger: Ledger): Linked {
  const stated = statedLinks(input, caseFile);
  let { stacks } = stated;
  const links: Link[] = [...stated.links];
  const taken = new Set(links.flatMap((l) => l.ends.map(endKey)));
  const add = (link: Link): void => {
    links.push(link);
    for (const end of link.ends) taken.add(endKey(end));
  };
  for (const link of vethPairs(stacks, taken)) add(link);
  stacks = settleHosts(stacks, links);
  stacks = stacks.map((s) => withoutFalsePairs(s, stacks, taken));
  for (const guest of stacks.filter(isGuest)) {
    const host = stacks.find((s) => s.name === guest.node);
    if (host === undefined || links.some((l) => l.ends.some((e) => e.stack === guest.name))) continue;
    const joined = joinToHost(guest, host, taken, ledger);
    if (joined === undefined) continue;
    stacks = replace(stacks, joined.host);
    add(joined.link);
  }
  for (const link of links) {
    if (link.type !== "veth") continue;
    const ends = endsOf(link, stacks);
    const guest = ends.find((e) => isGuest(e.stack));
    const host = ends.find((e) => e !== guest && e.stack.name !== guest?.stack.name);
    if (guest === undefined || host === undefined) continue;
    stacks = replace(stacks, withGateway(guest.stack, guest.device, host.stack, host.device, ledger));
  }
  const wired = withChildren(links, stacks);
  for (const end of wired.flatMap((l) => l.ends)) taken.add(endKey(end));
  const ends = stacks.flatMap((s) => fabricEnds(s, taken));
  if (ends.length === 0) return { stacks, links: wired };
  return { stacks, links: [...wired, { type: "fabric", ends, origin: assumed("cards hang on the underlay") }] };
}

/** A pod of which nobody said where it runs, runs where its other end is. */
function settleHosts(stacks: readonly Stack[], links: readonly Link[]): readonly Stack[] {
  return stacks.map((stack) => {
    if (!isGuest(stack) || stack.node !== undefined) return stack;
    const link = links.find((l) => l.type === "veth" && l.ends.some((e) => e.stack === stack.name));
    const other = link?.ends.find((e) => e.stack !== stack.name);
    const host = stacks.find((s) => s.name === other?.stack && s.kind === "node");
    return host === undefined ? stack : { ...stack, node: host.name };
  });
}

/**
 * `eth0@if2` in a pod is a veth only if index 2 of the node names it back. Where the node's list shows that it does not, the pod
 * has a macvlan or an ipvlan on that device.
 */
function withoutFalsePairs(stack: Stack, stacks: readonly Stack[], taken: ReadonlySet<string>): Stack {
  const host = stacks.find((s) => s.name === stack.node);
  if (!isGuest(stack) || host === undefined) return stack;
  const items = stack.devices.items.map((device): Device => {
    if (
      device.kindOrigin === undefined ||
      device.kind !== "veth" ||
      taken.has(endKey({ stack: stack.name, device: device.name }))
    )
      return device;
    const parent = host.devices.items.find((d) => d.index !== undefined && d.index === device.peer?.index);
    if (parent === undefined || parent.peer !== undefined || parent.kind === "veth") return device;
    const { kindOrigin: _, ...rest } = device;
    return { ...rest, kind: "unknown" };
  });
  return { ...stack, devices: { ...stack.devices, items } };
}

const CARDS: ReadonlySet<Device["kind"]> = new Set<Device["kind"]>([
  "ethernet",
  "unknown",
  "bond",
  "team",
  "macvlan",
  "ipvlan",
]);

function fabricEnds(stack: Stack, taken: ReadonlySet<string>): readonly LinkEnd[] {
  const free = stack.devices.items.filter((d) => !taken.has(endKey({ stack: stack.name, device: d.name })));
  const end = (d: Device): LinkEnd => ({ stack: stack.name, device: d.name });
  const slaves = new Set(stack.devices.items.filter((d) => d.kind === "bond" || d.kind === "team").map((d) => d.name));
  const cards = free.filter((d) => CARDS.has(d.kind) && !slaves.has(d.master ?? "") && !isPodEnd(stack, d));
  // A pod whose node nobody showed reaches the world somehow.
  const loose =
    isGuest(stack) && stack.devices.items.every((d) => free.includes(d)) ? free.filter((d) => d.kind === "veth") : [];
  return [...cards, ...loose].map(end);
}

/** A device of unknown kind, without an address, that host routes lead to: the near end of a pod that nobody dumped. */
function isPodEnd(stack: Stack, d: Device): boolean {
  if (d.kind !== "unknown" || d.addresses.length > 0 || d.master !== undefined) return false;
  return stack.routeTables.some((t) =>
    t.routes.some(
      (r) => r.destination.length === 32 && r.nexthops[0]?.device === d.name && r.nexthops[0].gateway === undefined,
    ),
  );
}
