import type { Device } from "../../model/index.ts";
import { type Address, formatAddress } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";

/** NUD_VALID: a MAC is there, sure or not. */
const VALID: ReadonlySet<string> = new Set(["PERMANENT", "NOARP", "REACHABLE", "PROBE", "STALE", "DELAY"]);

const keyOf = (device: Device, address: Address): string => `neighbour/${device.name}/${formatAddress(address)}`;

/** What this walk found out when it asked for a neighbour. */
export function noteNeighbour(kernel: Kernel, device: Device, address: Address, state: "REACHABLE" | "FAILED"): void {
  kernel.scratch.set(keyOf(device, address), state);
}

/** The state of a neighbour entry, as this walk or the dump has it; undefined: there is none. */
export function neighbourState(kernel: Kernel, device: Device, address: Address): string | undefined {
  const walked = kernel.scratch.get(keyOf(device, address)) as string | undefined;
  if (walked !== undefined) return walked;
  const entry = kernel.stack.neighbours.items.find(
    (n) => n.device === device.name && !n.proxy && n.address === address,
  );
  return entry?.states[0];
}

export const isValidState = (state: string): boolean => VALID.has(state);
