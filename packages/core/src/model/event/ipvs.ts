import type { Address } from "../../net/index.ts";
import type { Port } from "../packet.ts";

export interface ServerAddress {
  readonly address: Address;
  readonly port: Port;
}

/** What IPVS did with a packet. */
export type IpvsDecision =
  | { readonly kind: "ipvs-stays" }
  | { readonly kind: "ipvs-to"; readonly server: ServerAddress }
  /** A persistence template decided, for a server of weight 0. */
  | { readonly kind: "ipvs-to-drained"; readonly server: ServerAddress }
  | { readonly kind: "ipvs-handed"; readonly server: ServerAddress }
  | { readonly kind: "ipvs-icmp-to"; readonly server: ServerAddress }
  | { readonly kind: "ipvs-icmp-local" }
  | { readonly kind: "ipvs-no-route" }
  | { readonly kind: "ipvs-to-localnet" }
  | { readonly kind: "ipvs-from-localnet" }
  | { readonly kind: "ipvs-stale" }
  | { readonly kind: "ipvs-removed" }
  | { readonly kind: "ipvs-empty" }
  | { readonly kind: "ipvs-answer"; readonly server: ServerAddress }
  | { readonly kind: "ipvs-icmp-answer" };
