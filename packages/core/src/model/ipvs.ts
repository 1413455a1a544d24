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
  readonly persistenceMask?: number;
  readonly onePacket: boolean;
  readonly persistenceEngine?: string;
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
  readonly tunnel?: { readonly type: string; readonly port?: number; readonly checksum?: string };
  readonly origin: Origin;
}

/** One line of `ipvsadm -lnc`. Client port 0 marks a persistence template. */
export interface IpvsConnection {
  readonly protocol: number;
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
