import type { Address } from "../net/index.ts";
import type { Origin } from "./origin.ts";

/** A socket of a stack that receives: a TCP listener, a bound UDP socket. `address` absent: the wildcard. */
export interface Listener {
  readonly protocol: number;
  readonly address?: Address;
  readonly port: number;
  readonly device?: string;
  readonly process?: string;
  readonly origin: Origin;
}
