import type { Listener } from "../../model/index.ts";
import { type Address, formatAddress } from "../../net/index.ts";

/** A socket as views have it. */
export const socketText = (
  { protocol, address, port, device, v6only, v4only, transparent, stated, uid, origin }: Listener,
  called: (address: Address) => string = formatAddress,
): string =>
  [
    protocol,
    address === undefined ? "*" : called(address),
    port,
    device,
    v6only,
    v4only,
    transparent,
    stated,
    uid,
    origin.kind,
  ].join(" ");
