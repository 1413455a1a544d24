import type { World } from "../model/index.ts";
import { type Address, contains, familyOf, networkOf, type Prefix, parsePrefix } from "../net/index.ts";

/** The node that an address' pod is on, by what hands out the addresses of pods. */
export interface Home {
  readonly name: string;
  readonly addresses: readonly Address[];
  /** All of its pods that are numbered as this one is. */
  readonly network: Prefix;
}

/** The node whose pods an address is one of, by Node objects, else by the bridge of a stack that was shown. */
export function homeOf(world: World, address: Address): Home | undefined {
  for (const { name, addresses, podCidrs } of world.kubernetes.nodes) {
    const network = podCidrs.map(parsePrefix).find((p) => p !== undefined && contains(p, address));
    if (network !== undefined && addresses.length > 0) return { name, addresses, network };
  }
  for (const stack of world.stacks) {
    if (stack.kind !== "node" || stack.assumed !== undefined) continue;
    const bridged = stack.devices.items
      .flatMap((d) => (d.kind === "bridge" ? d.addresses.map((a) => a.prefix) : []))
      .find((p) => contains(p, address));
    if (bridged === undefined) continue;
    const cards = stack.devices.items.filter((d) => d.kind !== "bridge" && d.kind !== "loopback" && d.kind !== "dummy");
    const addresses = cards
      .flatMap((d) => d.addresses.map((a) => a.prefix.address))
      .filter((a) => familyOf(a) === familyOf(address));
    return { name: stack.name, addresses, network: networkOf(bridged) };
  }
  return undefined;
}
