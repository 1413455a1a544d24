import { memo } from "../../datapath/index.ts";
import type { Device, DeviceAddress } from "../../model/index.ts";
import type { Address } from "../../net/index.ts";

const entries = new WeakMap<readonly Device[], ReadonlyMap<Address, DeviceAddress>>();
/** The addresses of a machine; of two devices that have one, the first's. */
export const entriesOf = (devices: readonly Device[]): ReadonlyMap<Address, DeviceAddress> =>
  memo(entries, devices, () => {
    const found = new Map<Address, DeviceAddress>();
    for (const { addresses } of devices)
      for (const entry of addresses) if (!found.has(entry.prefix.address)) found.set(entry.prefix.address, entry);
    return found;
  });
