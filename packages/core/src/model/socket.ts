import type { Address } from "../net/index.ts";
import type { Listing } from "./extent.ts";
import type { Origin } from "./origin.ts";

/** A socket of a stack that receives: a TCP listener, a bound UDP socket. `address` absent: the wildcard. */
export interface Listener {
  readonly protocol: number;
  readonly address?: Address;
  readonly port: number;
  readonly device?: string;
  /** IPV6_V6ONLY: the wildcard of IPv6 alone. */
  readonly v6only?: true;
  /** The wildcard of IPv4, 0.0.0.0. */
  readonly v4only?: true;
  readonly process?: string;
  /** IP_TRANSPARENT, as `ss --inet-sockopt` says; absent: nobody showed it. */
  readonly transparent?: boolean;
  /** Who opened it, as `ss -e` says. */
  readonly uid?: number;
  /** Stated in case.yaml: a server that answers from the address it was asked at. */
  readonly stated?: true;
  readonly origin: Origin;
}

/** Who listens. `wholeFor`: the protocols of which every listener is shown, where `extent` is partial. */
export interface Listeners extends Listing<Listener> {
  readonly wholeFor?: readonly number[];
}

/** Whether a listener of this protocol that is not listed is not there. */
export const listsAll = (listeners: Listeners, protocol: number): boolean =>
  listeners.extent === "whole" || listeners.wholeFor?.includes(protocol) === true;
