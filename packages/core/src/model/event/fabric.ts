import type { Address } from "../../net/index.ts";
import type { Carried } from "../packet.ts";
import type { Absence } from "./link.ts";

/** What the network between the stacks did: the underlay, load balancers, ends of tunnels nobody showed. */
export type FabricDecision =
  | { readonly kind: "fabric-unwrapped"; readonly stack: string }
  /** By an end of which nothing was shown but its address. */
  | { readonly kind: "fabric-unwrapped-at"; readonly address: Address }
  | {
      readonly kind: "fabric-wrapped";
      readonly remote: Address;
      readonly local: Address;
      readonly tunnel: Carried["tunnel"];
    }
  | { readonly kind: "fabric-denied" }
  | { readonly kind: "fabric-mtu"; readonly bytes: number; readonly mtu: number }
  | { readonly kind: "fabric-source-checked"; readonly device: string; readonly address: Address }
  | { readonly kind: "fabric-egress"; readonly address: Address }
  | { readonly kind: "fabric-egress-undone" }
  | { readonly kind: "fabric-goes-back"; readonly stack: string }
  | { readonly kind: "fabric-drained"; readonly address: Address }
  | { readonly kind: "fabric-nobody"; readonly address: Address; readonly absence: Absence }
  | { readonly kind: "fabric-arrives"; readonly stack: string; readonly device: string }
  | { readonly kind: "fabric-delivered"; readonly stack: string; readonly device: string }
  | { readonly kind: "fabric-answered-for"; readonly stack: string; readonly device: string }
  | { readonly kind: "fabric-virtual"; readonly address: Address; readonly stack: string }
  | { readonly kind: "fabric-behind"; readonly stack: string; readonly device: string }
  | { readonly kind: "fabric-next-hop"; readonly gateway: Address; readonly stack: string }
  | {
      readonly kind: "fabric-own-behind";
      readonly address: Address;
      readonly device: string;
      readonly stack: string;
      readonly gateway: Address;
    }
  | { readonly kind: "fabric-no-peer"; readonly device: string; readonly address: Address }
  | { readonly kind: "fabric-gateway-drops"; readonly gateway: Address; readonly address: Address }
  | BalancerDecision;

export type BalancerDecision =
  | { readonly kind: "balancer-answers"; readonly balancer: Address }
  | { readonly kind: "balancer-no-port"; readonly balancer: Address }
  | { readonly kind: "balancer-not-in"; readonly balancer: Address; readonly address: Address }
  | { readonly kind: "balancer-no-endpoint" }
  | { readonly kind: "balancer-no-target" }
  | { readonly kind: "balancer-unknown-target"; readonly target: string }
  | {
      readonly kind: "balancer-sends";
      readonly balancer: Address;
      readonly target: string;
      readonly way: "as-is" | "keeping" | "replacing";
    }
  | {
      readonly kind: "balancer-sends-to-pod";
      readonly balancer: Address;
      readonly target: string;
      readonly way: "keeping" | "replacing";
    }
  | { readonly kind: "balancer-back"; readonly balancer: Address; readonly stack: string };
