import type { Address, Mac } from "../../net/index.ts";
import type { Carried, Port } from "../packet.ts";

/** What tunnel devices did. */
export type TunnelDecision =
  | {
      readonly kind: "tunnel-send";
      readonly device: string;
      readonly remote: Address;
      readonly tunnel: Carried["tunnel"];
    }
  | { readonly kind: "tunnel-take"; readonly device: string; readonly remote: Address }
  | {
      readonly kind: "tunnel-no-route";
      readonly remote: Address;
      readonly device: string;
      readonly errno: string;
    }
  /** The tunnel was told before that its far end cannot be reached. */
  | { readonly kind: "tunnel-error"; readonly remote: Address; readonly device: string }
  | { readonly kind: "tunnel-loop"; readonly remote: Address; readonly device: string }
  /** Without a near end that is an address of the stack, or with a far end that is one. */
  | { readonly kind: "tunnel-no-local"; readonly device: string }
  /** What it carries is of the other family. */
  | { readonly kind: "tunnel-other-family"; readonly device: string; readonly mode: string }
  | { readonly kind: "tunnel-nested"; readonly device: string }
  | { readonly kind: "tunnel-loop-of"; readonly remote: Address; readonly device: string }
  | { readonly kind: "tunnel-over" }
  | {
      readonly kind: "tunnel-too-big";
      readonly bytes: number;
      readonly room: number;
      readonly device: string;
      readonly lower: string;
    }
  | {
      readonly kind: "tunnel-no-device";
      readonly tunnel: Carried["tunnel"];
      readonly stack: string;
      readonly address: Address;
    }
  | { readonly kind: "tunnel-own-end"; readonly device: string; readonly remote: Address; readonly stack: string }
  | { readonly kind: "vxlan-no-entry"; readonly device: string; readonly mac?: Mac }
  | { readonly kind: "vxlan-nobody"; readonly port: Port }
  | { readonly kind: "vxlan-no-device"; readonly stack: string; readonly port: Port }
  | {
      readonly kind: "vxlan-entry-exists";
      readonly mac: Mac;
      readonly device: string;
      readonly remote: Address;
      readonly source: Address;
    }
  /** Of the VXLAN device that wrapped it. */
  | { readonly kind: "udp-checksum"; readonly device: string }
  | { readonly kind: "vxlan-no-vni"; readonly stack: string; readonly vni?: number }
  | { readonly kind: "vxlan-own-mac"; readonly mac: Mac; readonly device: string; readonly stack: string };
