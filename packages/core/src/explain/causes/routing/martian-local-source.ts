import { text } from "../../../messages/index.ts";
import type { Device, DeviceAddress, Origin } from "../../../model/index.ts";
import { formatAddress } from "../../../net/index.ts";
import { argv, type Cause, lastOf, on, type Scene, stackOf, stepsOf, wayOf } from "../../cause.ts";

interface Martian {
  readonly source: string;
  readonly holder: Device | undefined;
  readonly address: DeviceAddress | undefined;
  readonly evidence: readonly Origin[];
}

/** A packet from the wire whose source is the receiving stack's own: the device that has the address, and the lines. */
export function martianOf({ leg, world }: Scene): Martian | undefined {
  if (leg.drop !== "IP_LOCAL_SOURCE") return undefined;
  const check = lastOf(stepsOf(leg, "source validation"));
  const has = (a: DeviceAddress): boolean => a.prefix.address === leg.final.src;
  const holder = stackOf(world, leg.stack)?.devices.items.find((d) => d.addresses.some(has));
  const address = holder?.addresses.find(has);
  const evidence = [...(address === undefined ? [] : [address.origin]), ...(check?.origins ?? [])];
  return { source: formatAddress(leg.final.src), holder, address, evidence };
}

/** A packet from the wire carries an address of the very stack it reaches: dropped at any rp_filter. */
export const martianLocalSource: Cause = {
  codes: ["MARTIAN_LOCAL_SOURCE"],
  detect: (scene) => {
    const { leg } = scene;
    const martian = martianOf(scene);
    if (martian === undefined) return [];
    const { source, holder, address, evidence } = martian;
    const params = { stack: leg.stack, direction: wayOf(scene), source };
    const summary =
      holder === undefined
        ? text("cause.martian_local_source", params)
        : text("cause.martian_local_source.on", { ...params, device: holder.name });
    const removable = holder?.kind === "dummy" && address !== undefined;
    const without = removable
      ? { without: [on(leg.stack, argv`ip addr del ${source}/${address.prefix.length} dev ${holder.name}`)] }
      : {};
    // An address that was made up for a device proves nothing about who has it.
    const most = address?.origin.kind === "assumed" ? { most: "possible" as const } : {};
    return [{ code: "MARTIAN_LOCAL_SOURCE", summary, stack: leg.stack, evidence, ...without, ...most, root: false }];
  },
};
