import type { Device, DeviceKind, Neighbour, Stack, World } from "../../model/index.ts";
import { type Address, isIpv4 } from "../../net/index.ts";

/** Of several default routes one is taken by which gateway was heard (fib_select_default()). */
const choosesByState = ({ routeTables }: Stack): boolean =>
  routeTables.flatMap((t) => t.routes.filter((r) => r.family === 4 && r.destination.length === 0)).length > 1;

/** Beside these a node has one card by which it can answer on the network of the nodes. */
const NO_CARDS: ReadonlySet<DeviceKind> = new Set<DeviceKind>(["loopback", "dummy", "veth", "tap", "bridge"]);

/**
 * Neighbours of whom it does not matter when they were heard last: an entry that is REACHABLE is believed where another MAC answers, and one that is STALE
 * is not. Where nobody but the one card that has the address and the MAC can answer, that is the same.
 */
export class Answered {
  /** By address, the devices that have it. */
  readonly #holders = new Map<Address, { readonly stack: Stack; readonly device: Device }[]>();
  readonly #choosing = new Map<Stack, boolean>();
  /** Somebody may answer for others. */
  readonly #hasProxies: boolean;

  constructor({ stacks }: World) {
    for (const stack of stacks)
      for (const device of stack.devices.items)
        for (const { prefix } of device.addresses) {
          const known = this.#holders.get(prefix.address);
          if (known === undefined) this.#holders.set(prefix.address, [{ stack, device }]);
          else known.push({ stack, device });
        }
    this.#hasProxies = stacks.some(
      (s) =>
        s.neighbours.items.some((n) => n.proxy) ||
        [...s.sysctls].some(([key, { value }]) => key.includes(".proxy_arp") && value !== "0"),
    );
  }

  /** Its states, as far as they matter. */
  statesOf(stack: Stack, n: Neighbour): string {
    let isChosen = this.#choosing.get(stack);
    if (isChosen === undefined) {
      isChosen = choosesByState(stack);
      this.#choosing.set(stack, isChosen);
    }
    const isHeard = !this.#hasProxies && !isChosen && isIpv4(n.address) && this.#isHolders(n);
    return n.states.map((s) => (s === "DELAY" || s === "PROBE" || (s === "REACHABLE" && isHeard) ? "STALE" : s)).join();
  }

  #isHolders({ address, mac }: Neighbour): boolean {
    const [holder, ...others] = this.#holders.get(address) ?? [];
    if (holder === undefined || others.length > 0 || mac === undefined || holder.device.mac !== mac) return false;
    const { stack, device } = holder;
    return stack.devices.items.every((d) => d === device || (d.mac !== mac && NO_CARDS.has(d.kind)));
  }
}
