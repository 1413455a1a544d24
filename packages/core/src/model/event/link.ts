import type { Address, Mac } from "../../net/index.ts";
import type { Origin } from "../origin.ts";
import type { Decision } from "./decision.ts";

/** What devices, bridges and neighbour tables did. */
export type LinkDecision =
  | { readonly kind: "device-down"; readonly device: string }
  | { readonly kind: "no-carrier"; readonly device: string }
  | { readonly kind: "no-vlan"; readonly vlan: number; readonly device: string }
  /** A port of a bridge that filters has not this VLAN, or, without a number, none for frames without a tag. */
  | { readonly kind: "bridge-vlan"; readonly port: string; readonly vlan?: number }
  | { readonly kind: "dummy"; readonly device: string }
  | { readonly kind: "otherhost"; readonly device: string }
  /** Longer than the device on the receiving side takes. */
  | {
      readonly kind: "frame-too-long";
      readonly bytes: number;
      readonly mtu: number;
      readonly device: string;
      readonly stack: string;
    }
  | { readonly kind: "loop" }
  /** In a walk of what nobody showed. */
  | { readonly kind: "host-not-there"; readonly stack: string }
  /** Nobody on a segment has the MAC; absent: the frame has none. */
  | { readonly kind: "no-mac"; readonly mac?: Mac }
  | BridgeDecision
  | NeighbourDecision;

export type BridgeDecision =
  | { readonly kind: "bridge-port-state"; readonly port: string; readonly state: string }
  | { readonly kind: "bridge-up"; readonly bridge: string }
  | { readonly kind: "bridge-no-port"; readonly bridge: string; readonly mac?: Mac }
  | { readonly kind: "bridge-hairpin"; readonly port: string }
  | { readonly kind: "bridge-isolated"; readonly port: string; readonly out: string }
  | { readonly kind: "bridge-forward"; readonly port: string; readonly out: string }
  | { readonly kind: "bridge-out"; readonly port: string };

export type NeighbourDecision =
  | { readonly kind: "neighbour"; readonly address: Address; readonly mac: Mac }
  /** `states`: what the neighbour table says; absent: nobody answers. */
  | {
      readonly kind: "no-neighbour";
      readonly address: Address;
      readonly device: string;
      readonly states?: readonly string[];
      readonly absence?: Absence;
      /** IPv6: a packet of neighbour discovery that did not arrive. */
      readonly lost?: LostDiscovery;
    }
  /** A proxy takes its time (proxy_delay), and a datagram's sender may not wait for it. */
  | { readonly kind: "proxy-late"; readonly address: Address; readonly stack: string; readonly device: string }
  /** A device without a link-local address asks for no neighbour. */
  | { readonly kind: "no-link-local"; readonly device: string };

/** A neighbour solicitation, or the advertisement that answered it, and where it ended. */
export interface LostDiscovery {
  readonly what: "solicitation" | "advertisement" | "request" | "reply";
  readonly stack: string;
  readonly decision: Decision;
  readonly origins: readonly Origin[];
}

/** Who says that nobody has an address to which packets are sent. */
export interface Absence {
  /**
   * The Service's endpoints, the list of pods, a pod that is over, the list of a bridge's ports (all of whom are known), or the
   * neighbour table.
   */
  readonly by: "endpoints" | "pods" | "pod" | "ports" | "neighbour";
  /** The Service of which somebody's rules still count it among the endpoints. */
  readonly service?: string;
  readonly pod?: string;
  readonly origins: readonly Origin[];
}
