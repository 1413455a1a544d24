import type { Address } from "../net/index.ts";
import type { ConntrackEntry } from "./conntrack.ts";
import type { BridgeVlan, Device, FdbEntry } from "./device.ts";
import type { Listing } from "./extent.ts";
import type { IpSet } from "./ipset.ts";
import type { Ipvs } from "./ipvs.ts";
import type { Machine } from "./machine.ts";
import type { Netfilter } from "./netfilter/index.ts";
import type { Origin } from "./origin.ts";
import type { OtherDatapath } from "./other-datapath.ts";
import type { Neighbour, RouteTable, RoutingRule } from "./route.ts";
import type { Listeners } from "./socket.ts";
import type { SysctlEntry } from "./sysctl.ts";

export type StackKind = "node" | "pod" | "vm" | "router" | "client" | "lb";

/** One network namespace and all the kernel keeps in it. */
export interface Stack {
  readonly name: string;
  readonly kind: StackKind;
  /** The node a pod or VM runs on. */
  readonly node?: string;
  readonly machine: Machine;
  /** In registration order, lo first: the order source selection walks (inet_select_addr). */
  readonly devices: Listing<Device>;
  readonly routingRules: Listing<RoutingRule>;
  readonly routeTables: readonly RouteTable[];
  readonly neighbours: Listing<Neighbour>;
  readonly fdb: Listing<FdbEntry>;
  readonly bridgeVlans: Listing<BridgeVlan>;
  readonly netfilter: Netfilter;
  readonly ipsets: Listing<IpSet>;
  readonly ipvs: Ipvs;
  readonly conntrack: Listing<ConntrackEntry>;
  readonly listeners: Listeners;
  /** By key; absent is not known. */
  readonly sysctls: ReadonlyMap<string, SysctlEntry>;
  /**
   * Nobody dumped this stack; the walk made it up: an `endpoint` that a Service or a route names, or somebody
   * `outside` whom only an address is known of. Whatever port is asked listens there.
   */
  readonly assumed?: "endpoint" | "outside";
  /** No dump of it: it is what its Node object says, with what kube-proxy would have programmed from the other objects. */
  readonly fromObjects?: true;
  /** Nothing but rules was shown of it: devices and routes are made up so that rules can decide as far as they do. */
  readonly rulesOnly?: boolean;
  /** A support bundle without routing rules and with the main table alone: what else decides its routes was never asked for. */
  readonly rulesUncollected?: true;
  /** What takes packets off the way that is walked: Cilium, Open vSwitch and the like. */
  readonly otherDatapaths?: readonly OtherDatapath[];
  /** What logs, traces and captures say of its devices. */
  readonly sightings?: readonly Sighting[];
  readonly origin: Origin;
}

/** A device that a log, a trace or a capture names. `source`: whose packet was seen to come in by it. */
export interface Sighting {
  readonly device: string;
  readonly source?: Address;
  readonly origin: Origin;
}
