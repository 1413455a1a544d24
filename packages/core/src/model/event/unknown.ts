import type { Address, Mac } from "../../net/index.ts";
import type { DatapathOwner } from "../other-datapath.ts";
import type { Carried } from "../packet.ts";

/** Why a walk stops without an answer. */
export type Unknown =
  | { readonly kind: "unknown-fact"; readonly fact: string }
  | { readonly kind: "unknown-nothing-read" }
  | { readonly kind: "unknown-too-much-work" }
  | { readonly kind: "unknown-too-many-hypotheses" }
  | { readonly kind: "unknown-host-not-found"; readonly address: Address }
  | { readonly kind: "unknown-stack" }
  | { readonly kind: "unknown-host"; readonly address: Address }
  | { readonly kind: "unknown-addresses"; readonly stack: string }
  | { readonly kind: "unknown-queue" }
  | { readonly kind: "unknown-tproxy" }
  /** A datagram that its sender cuts, at somebody for whom the whole is too long. */
  | { readonly kind: "unknown-fragments6" }
  /** Whether a VXLAN device sums up its UDP header. */
  | { readonly kind: "unknown-udp-checksum"; readonly device: string }
  | { readonly kind: "unknown-target"; readonly target: string }
  | { readonly kind: "unknown-target-not-understood"; readonly target: string }
  | { readonly kind: "unknown-chain"; readonly chain: string }
  | { readonly kind: "unknown-nftables"; readonly table: string }
  /** Who has this MAC. */
  | { readonly kind: "unknown-neighbour"; readonly address: Address; readonly mac: Mac }
  | { readonly kind: "unknown-bridge-vlans"; readonly bridge: string }
  | { readonly kind: "unknown-encapsulation"; readonly encapsulation: string }
  | { readonly kind: "unknown-vrf-device" }
  | { readonly kind: "unknown-vrf" }
  | { readonly kind: "unknown-rule-action"; readonly action: string }
  | { readonly kind: "unknown-table"; readonly table: number | string }
  | { readonly kind: "unknown-route-device"; readonly device?: string }
  | { readonly kind: "unknown-program"; readonly device: string; readonly programs: readonly string[] }
  | {
      readonly kind: "unknown-socket-program";
      readonly owner: DatapathOwner;
      readonly address: Address;
      readonly port: number;
    }
  | { readonly kind: "unknown-ipvlan"; readonly device: string; readonly mode: string }
  | { readonly kind: "unknown-device"; readonly device: string; readonly deviceKind: string }
  | { readonly kind: "unknown-ipvs-method"; readonly method: string }
  | { readonly kind: "unknown-real-servers" }
  | { readonly kind: "unknown-virtual-services"; readonly stack: string }
  | {
      readonly kind: "unknown-tunnel-devices";
      readonly stack: string;
      readonly tunnel: Carried["tunnel"];
      readonly address: Address;
    }
  | { readonly kind: "unknown-published"; readonly address: Address; readonly service: string }
  | { readonly kind: "unknown-between"; readonly from: Address; readonly to: Address }
  | { readonly kind: "unknown-untranslated"; readonly address: Address; readonly stack: string }
  | { readonly kind: "unknown-balancer-icmp"; readonly balancer: Address }
  | { readonly kind: "unknown-balancer-node-port"; readonly balancer: Address; readonly stack: string };
