import type { Address } from "../net/index.ts";
import type { Origin } from "./origin.ts";

/** Whose programs or flows take packets off the way that is walked. */
export type DatapathOwner = "Cilium" | "Calico" | "Antrea" | "OVN-Kubernetes" | "Open vSwitch";

/** What a packet does at a device when the program gets it; `both`: nobody showed which. */
export type ProgramHook = "xdp" | "tc ingress" | "tc egress" | "both";

/** An XDP or tc program, or a switch, that has a device: what it does to packets is not modelled. */
export interface DeviceProgram {
  readonly hook: ProgramHook;
  /** As its tool prints it, or whose it is. */
  readonly name: string;
  /** Absent: the device's own line. */
  readonly origin?: Origin;
}

/** Whether a packet meets the program on its way in, or out. */
export const isMet = ({ hook }: DeviceProgram, way: "receive" | "transmit"): boolean =>
  hook === "both" || (hook === "tc egress") === (way === "transmit");

/** An address and port that another datapath translates. */
export interface Frontend {
  readonly address: Address;
  readonly port: number;
  /** Absent: older tools print none. */
  readonly protocol?: number;
  readonly origin: Origin;
}

/** A datapath of a node that is not walked, as far as dumps tell of it. Every field that nobody showed is left out. */
export interface OtherDatapath {
  readonly owner: DatapathOwner;
  /** Which packets' Services it translates: everybody's in the place of kube-proxy, or only those its own pods send. */
  readonly services?: "all" | "pods";
  /** Whose sockets have their Service translated while they connect (cgroup programs): the node's own, or its pods' as well. */
  readonly sockets?: "none" | "node" | "all";
  /** Whether it has programs on the node's cards. */
  readonly cards?: boolean;
  /** What it translates; absent where nobody listed it: then any Service may be one. */
  readonly frontends?: readonly Frontend[];
  /** The only node it is of, where a cluster's configuration says so. */
  readonly node?: string;
  readonly origin: Origin;
}

/** A program as a listing shows it. Without a device: on sockets (cgroup), or at every device's packets (netfilter). */
export interface AttachedProgram {
  readonly device?: string;
  readonly hook: ProgramHook | "socket";
  readonly name: string;
  readonly origin: Origin;
}
