import { devConf, type Kernel } from "../../datapath/index.ts";
import { type Address, contains, isHost } from "../../net/index.ts";
import type { Walk } from "../walk/walk.ts";
import { devicesWith } from "./owners.ts";
import { type Attachment, isUnderlay } from "./topology.ts";

/** Stacks that have an address, be it on a dummy device, answer ARP for it on a card of its subnet unless arp_ignore forbids. */
export function answeringPlaces(walk: Walk, from: Kernel, address: Address): readonly Attachment[] {
  return walk.world.stacks.flatMap((stack) => {
    if (stack.assumed !== undefined || devicesWith(stack, address).length === 0) return [];
    const kernel = walk.kernel(stack.name);
    if (kernel === undefined || kernel === from) return [];
    const device = stack.devices.items.find(
      (d) => isUnderlay(d) && d.addresses.some((a) => !isHost(a.prefix) && contains(a.prefix, address)),
    );
    if (device === undefined || Number(devConf(kernel, "arp_ignore", device.name).value) > 0) return [];
    return [{ kernel, device }];
  });
}
