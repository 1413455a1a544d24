import type { Address, Family } from "../net/index.ts";
import type { Extent } from "./extent.ts";
import type { Origin } from "./origin.ts";

export type ForwardMethod = "masq" | "route" | "tunnel" | "local" | "bypass" | "unknown";

export type VirtualServiceKey =
  | { readonly kind: "address"; readonly protocol: number; readonly address: Address; readonly port: number }
  | { readonly kind: "fwmark"; readonly mark: number; readonly family: Family };

export interface VirtualService {
  readonly key: VirtualServiceKey;
  readonly scheduler: string;
  readonly schedulerFlags?: readonly string[];
  /** Seconds; absent: not persistent. */
  readonly persistence?: number;
  /** Clients of one network are kept together: an IPv4 mask as a number, an IPv6 prefix length; absent: host by host. */
  readonly persistenceMask?: Address;
  /** /proc/net/ip_vs counts in ticks of the kernel's clock, whose rate it does not say; `persistence` then takes 250 a second. */
  readonly persistenceTicks?: number;
  readonly onePacket: boolean;
  readonly persistenceEngine?: string;
  /** What this form of listing leaves out; those fields are then placeholders (`ipvsadm -ln --stats` names no scheduler). */
  readonly notShown?: readonly ("scheduler" | "persistence" | "onePacket")[];
  readonly stats?: IpvsCounters;
  readonly rate?: IpvsCounters;
  /** Words of its line that were not understood, verbatim. */
  readonly unknown?: string;
  readonly realServers: readonly RealServer[];
  /** Whether `realServers` is all of them. */
  readonly extent: Extent;
  readonly origin: Origin;
}

export interface RealServer {
  readonly address: Address;
  readonly port: number;
  readonly method: ForwardMethod;
  readonly weight: number;
  readonly activeConnections?: number;
  readonly inactiveConnections?: number;
  readonly upperThreshold?: number;
  readonly lowerThreshold?: number;
  readonly persistentConnections?: number;
  /** As for a service: `--thresholds` shows neither method nor weight; they are then "unknown" and 1. */
  readonly notShown?: readonly ("method" | "weight")[];
  readonly stats?: IpvsCounters;
  readonly rate?: IpvsCounters;
  /** Of method tunnel, where shown. `checksum` as the option spells it: csum, nocsum, remcsum. */
  readonly tunnel?: { readonly type: string; readonly port?: number; readonly checksum?: string };
  readonly origin: Origin;
}

/** `--stats`, or per second `--rate`. Large numbers are rounded by ipvsadm (K, M, G). */
export interface IpvsCounters {
  readonly connections: number;
  readonly inPackets: number;
  readonly outPackets: number;
  readonly inBytes: number;
  readonly outBytes: number;
}

/** One line of `ipvsadm -lnc`. Client port 0 marks a persistence template. */
export interface IpvsConnection {
  readonly protocol: number;
  /** As printed: `14:58` minutes and seconds, or seconds in /proc/net/ip_vs_conn. */
  readonly expires: string;
  readonly state: string;
  readonly client: Address;
  readonly clientPort: number;
  readonly virtual: Address;
  readonly virtualPort: number;
  readonly real: Address;
  readonly realPort: number;
  readonly origin: Origin;
}

export interface Ipvs {
  readonly services: readonly VirtualService[];
  readonly connections: readonly IpvsConnection[];
  /** Whether `services` is all of them. */
  readonly extent: Extent;
}
