import type { Address } from "../../net/index.ts";

/**
 * Something a walk asks of the World that no dump has to show: left open it forks the walk, settled (`--assume`, case.yaml) or
 * assumed it does not. `factId` gives the id that people use.
 */
export type Fact = StackFact | NetworkFact;

/** What is true of one stack. */
export type StackFact =
  | { readonly kind: "sysctl"; readonly stack: string; readonly key: string }
  /** From which of its addresses a UDP server that is bound to the wildcard answers; `port` as `udp/53`. */
  | { readonly kind: "datagram-source"; readonly stack: string; readonly port: string }
  /** `port` as `tcp/80`. */
  | { readonly kind: "listen"; readonly stack: string; readonly port: string }
  | { readonly kind: "address"; readonly stack: string; readonly address: Address }
  /** Whether a rule that is not understood matches; `at` is its line. */
  | { readonly kind: "rule"; readonly stack: string; readonly at: string }
  /** The same of a routing rule. */
  | { readonly kind: "ip-rule"; readonly stack: string; readonly at: string }
  | { readonly kind: "registered-first"; readonly stack: string }
  | { readonly kind: "native-registered"; readonly stack: string }
  /** Chains of two nft tables at one priority: whether they were registered in the order of the listing. */
  | { readonly kind: "native-order"; readonly stack: string }
  /** An nft chain at the very priority of conntrack: which of the two was registered first. */
  | { readonly kind: "beside-conntrack"; readonly stack: string }
  | { readonly kind: "masquerade"; readonly stack: string }
  /** Which nexthop of a multipath route the hash of a flow falls on; `ports` as `tcp 40000 80` where they are hashed, too. */
  | {
      readonly kind: "multipath";
      readonly stack: string;
      readonly iif: string;
      readonly source: Address;
      readonly destination: Address;
      readonly ports?: string;
    }
  | { readonly kind: "ipset"; readonly stack: string; readonly set: string; readonly entry: string }
  | { readonly kind: "hairpin"; readonly stack: string; readonly port: string }
  | { readonly kind: "chain"; readonly stack: string; readonly table: string; readonly chain: string }
  | { readonly kind: "loop"; readonly stack: string; readonly table: string; readonly chain: string }
  | { readonly kind: "limit"; readonly stack: string; readonly at: string }
  | { readonly kind: "recent"; readonly stack: string; readonly list: string }
  | { readonly kind: "owner"; readonly stack: string; readonly what: string }
  | { readonly kind: "set-target"; readonly stack: string; readonly set: string }
  | { readonly kind: "kernel"; readonly stack: string }
  | { readonly kind: "conntrack"; readonly stack: string }
  | { readonly kind: "ipvs-rest"; readonly stack: string }
  | { readonly kind: "tunnel-port"; readonly stack: string; readonly device: string }
  | { readonly kind: "tunnel-remote"; readonly stack: string; readonly device: string; readonly address: Address }
  | { readonly kind: "neighbour"; readonly stack: string; readonly device: string; readonly address: Address }
  | { readonly kind: "arrival"; readonly stack: string; readonly address: Address };

/** What is true of the network between them. */
export type NetworkFact =
  | { readonly kind: "src-dst-check" }
  | { readonly kind: "far-tunnel-end"; readonly address: Address }
  | { readonly kind: "load-balancer"; readonly address: Address; readonly what: BalancerQuestion }
  | { readonly kind: "endpoint"; readonly address: Address }
  | { readonly kind: "endpoint-node"; readonly address: Address }
  | { readonly kind: "home"; readonly address: Address }
  /** One for all nodes: a cluster runs kube-proxy alike everywhere. */
  | { readonly kind: "kube-proxy-mode" }
  /** One whose id says nothing to us: what was assumed while assembling, or what a user wrote. */
  | { readonly kind: "other"; readonly id: string };

export const BALANCER_QUESTIONS = ["preserveClient", "target", "node", "oneAtATime", "forwarding", "targets"] as const;
export type BalancerQuestion = (typeof BALANCER_QUESTIONS)[number];
