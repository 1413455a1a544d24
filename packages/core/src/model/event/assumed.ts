import type { Address, Mac } from "../../net/index.ts";
import type { Origin } from "../origin.ts";
import type { Forwarding } from "../world.ts";

/** What nobody showed and the answer rests on. */
export type Assumed =
  | {
      readonly kind: "sysctl";
      readonly stack: string;
      readonly key: string;
      readonly value: string;
      readonly by: "default" | "forwards" | "forwards-not" | "kube-proxy" | "unwalked";
    }
  | { readonly kind: "chain-no-effect"; readonly table: string; readonly chain: string }
  | { readonly kind: "chain-loop"; readonly chain: string }
  | { readonly kind: "below-limit"; readonly limit: string; readonly rule: Origin }
  | { readonly kind: "recent-empty"; readonly list: string }
  | { readonly kind: "owner"; readonly stack: string; readonly what: string }
  | { readonly kind: "set-unchanged"; readonly set: string }
  | { readonly kind: "kernel-current"; readonly stack: string }
  | { readonly kind: "conntrack-on"; readonly stack: string }
  | { readonly kind: "native-order"; readonly stack: string }
  | { readonly kind: "ipvs-rest"; readonly address: Address }
  | { readonly kind: "vxlan-port"; readonly stack: string; readonly device: string; readonly port: number }
  | {
      readonly kind: "vxlan-remote";
      readonly stack: string;
      readonly device: string;
      readonly address: Address;
      readonly remote: Address;
    }
  | { readonly kind: "listening"; readonly stack: string; readonly address: Address; readonly port: string }
  | { readonly kind: "not-listening"; readonly stack: string; readonly address: Address; readonly port: string }
  | {
      readonly kind: "neighbour";
      readonly stack: string;
      readonly device: string;
      readonly address: Address;
      readonly mac: Mac;
    }
  | { readonly kind: "local-endpoint"; readonly address: Address; readonly node: string }
  | { readonly kind: "arrival"; readonly address: Address; readonly stack: string; readonly device: string }
  | { readonly kind: "home"; readonly address: Address; readonly stack: string }
  | { readonly kind: "far-tunnel-end"; readonly address: Address }
  | {
      readonly kind: "balancer";
      readonly balancer: Address;
      readonly provider: string;
      readonly basis: string;
      readonly service?: string;
      readonly habit: BalancerHabit;
    }
  | { readonly kind: "pod-behind"; readonly address: Address; readonly device: string; readonly node: string }
  | { readonly kind: "on-bridge"; readonly address: Address; readonly bridge: string; readonly node: string }
  | { readonly kind: "pod-of-object"; readonly address: Address; readonly pod: string; readonly node: string }
  | { readonly kind: "far-host"; readonly address: Address }
  /** What was assumed while assembling. */
  | { readonly kind: "assembled"; readonly message: MessageRef };

/** A message by its id; `messages` knows it. */
export interface MessageRef {
  readonly id: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export type BalancerHabit =
  | { readonly kind: "one-node" }
  | { readonly kind: "every-node" }
  | { readonly kind: "keeps" }
  | { readonly kind: "replaces" }
  | { readonly kind: Forwarding }
  | { readonly kind: "targets"; readonly targets: readonly string[] };
