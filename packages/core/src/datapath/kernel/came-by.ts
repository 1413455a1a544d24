import type { Packet } from "../../model/index.ts";
import type { Address } from "../../net/index.ts";

/** Where packets of walks come by, while somebody wants to know: of every walk that an answer rests on, whoever makes it. */
let wanted: Set<string> | undefined;

/** What packets of walks have been: where, by which devices of a stack, and with which addresses and numbers of ports that they are for. */
export interface Ways {
  readonly stacks: Set<string>;
  readonly devices: Map<string, Set<string>>;
  readonly addresses: Set<Address>;
  readonly ports: Set<number>;
}

let ways: Ways | undefined;

export function comesBy(stack: string): void {
  wanted?.add(stack);
  ways?.stacks.add(stack);
}

/** `in`, `out`: empty where there is none. */
export function comesThrough(stack: string, ...devices: readonly string[]): void {
  if (ways === undefined) return;
  const known = ways.devices.get(stack);
  if (known === undefined) ways.devices.set(stack, new Set(devices));
  else for (const device of devices) known.add(device);
}

export function comesAs({ src, dst, dport }: Packet): void {
  if (ways === undefined) return;
  ways.addresses.add(src).add(dst);
  if (typeof dport === "number") ways.ports.add(dport);
}

/** A packet would be sent to an address in which none is carried yet: a tunnel's far end. */
export function comesTo(address: Address): void {
  ways?.addresses.add(address);
}

/** Names of the stacks that packets of all walks which `run` makes come by go into `stacks`. */
export function notingStacks<T>(stacks: Set<string>, run: () => T): T {
  const before = wanted;
  wanted = stacks;
  try {
    return run();
  } finally {
    wanted = before;
  }
}

/** All that packets of walks which `run` makes come by, and as whose, goes into `into`. */
export function notingWays<T>(into: Ways, run: () => T): T {
  const before = ways;
  ways = into;
  try {
    return run();
  } finally {
    ways = before;
  }
}
