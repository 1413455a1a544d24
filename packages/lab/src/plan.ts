import type {
  BridgeVlan,
  ConntrackEntry,
  Device,
  FdbEntry,
  IpSet,
  IptablesTable,
  LinkEnd,
  Neighbour,
  NftTable,
  Origin,
  RealServer,
  Route,
  RoutingRule,
  Rule,
  SetEntry,
  VirtualService,
  VirtualServiceKey,
} from "@hairpin/core/model/index.ts";
import type { Address, Family, Prefix } from "@hairpin/core/net/index.ts";

/** All a kernel needs to be told to become a World, and what is then done to it. */
export interface LabPlan {
  readonly stacks: readonly LabStack[];
  /** Cables: each joins two devices of kind veth or ethernet. A card without a cable leads nowhere, with carrier. */
  readonly cables: readonly (readonly [LinkEnd, LinkEnd])[];
  readonly relays: readonly LabRelay[];
  readonly listeners: readonly LabListener[];
  readonly stimuli: readonly Stimulus[];
  readonly observe: ObserveOptions;
}

/** One network namespace. `role`: a stack of the World, or one the lab adds to stand for what lies between. */
export interface LabStack {
  readonly name: string;
  readonly role: "stack" | "switch" | "fabric" | "outside" | "lb";
  /** In registration order, lo first. */
  readonly devices: readonly Device[];
  /** Beyond what the kernel makes of the addresses by itself. */
  readonly routes: readonly Route[];
  /** Connected and local routes that the kernel makes by itself and this stack lacks. */
  readonly removedRoutes: readonly Route[];
  /** Absent: the three the kernel starts with. */
  readonly rules?: readonly RoutingRule[];
  readonly neighbours: readonly Neighbour[];
  readonly fdb: readonly FdbEntry[];
  readonly bridgeVlans: readonly BridgeVlan[];
  /** Loaded in this order: at equal priority the later runs first. */
  readonly tables: readonly IptablesTable[];
  /** Native nftables, loaded behind or before `tables`, in this order. */
  readonly nft: readonly NftTable[];
  readonly nftFirst: boolean;
  readonly ipsets: readonly IpSet[];
  readonly services: readonly VirtualService[];
  /** Connections of before. */
  readonly conntrack?: readonly ConntrackEntry[];
  /** Written in this order. */
  readonly sysctls: readonly SysctlSetting[];
  readonly ipv6: boolean;
}

/** The key as sysctl(8) writes it. */
export type SysctlSetting = readonly [key: string, value: string, origin?: Origin];

export const emptyStack = (name: string, role: LabStack["role"]): LabStack => ({
  name,
  role,
  devices: [],
  routes: [],
  removedRoutes: [],
  neighbours: [],
  fdb: [],
  bridgeVlans: [],
  tables: [],
  nft: [],
  nftFirst: false,
  ipsets: [],
  services: [],
  sysctls: [],
  ipv6: false,
});

/** Whether something in this stack may ask for conntrack. */
export const hasNetfilter = ({ tables, nft, services }: LabStack): boolean =>
  tables.length + nft.length + services.length > 0;

/** flanneld's udp back end at work on a tun device. */
export interface LabRelay {
  readonly stack: string;
  readonly device: string;
  readonly port: number;
  readonly address?: Address;
  readonly routes: readonly { readonly to: Prefix; readonly via: Address }[];
}

/** A server that sends back what it gets. */
export interface LabListener {
  readonly stack: string;
  readonly protocol: "tcp" | "udp";
  /** Absent: the wildcard of `family`. */
  readonly address?: Address;
  readonly family: Family;
  readonly port: number;
  readonly device?: string;
  /** Where an UDP answer comes from: the address that was called (default), or the one routing selects. */
  readonly reply?: "contacted" | "routed";
  /** A TCP stream is answered once so many bytes have come, or a whole line; absent: as they come. */
  readonly whole?: number | "line";
}

export interface Binding {
  readonly device?: string;
  readonly address?: Address;
  readonly port?: number;
}

interface ClientOptions {
  readonly stack: string;
  readonly to: Address;
  readonly bind?: Binding;
  readonly mark?: number;
  readonly tos?: number;
  readonly ttl?: number;
  /** Bytes of payload; they are expected back. 0: a TCP handshake alone. */
  readonly size?: number;
  /** Milliseconds after which it counts as unanswered, whatever moves; default 5,000. */
  readonly timeout?: number;
  /** Milliseconds without any packet anywhere after which it counts as unanswered; default by backend. */
  readonly patience?: number;
}

export type Stimulus =
  /**
   * The connection stays open under its id until closed; at the end it vanishes without a packet. One without answer
   * vanishes at once, unless `retransmit`: then it sends again after a second, for a later `wait` to see.
   */
  | (ClientOptions & {
      readonly kind: "connect";
      readonly id: string;
      readonly port: number;
      readonly retransmit?: boolean;
    })
  | { readonly kind: "send"; readonly id: string; readonly size?: number }
  | { readonly kind: "close"; readonly id: string; readonly how: "fin" | "reset" | "silent" }
  | (ClientOptions & {
      readonly kind: "udp";
      readonly port: number;
      /** sendto() on an unconnected socket: one route lookup, and no ICMP error is told. Default false. */
      readonly unconnected?: boolean;
      readonly errorQueue?: boolean;
    })
  | (ClientOptions & { readonly kind: "ping"; readonly ident?: number; readonly sequence?: number })
  /** A frame out of a device as it stands, Ethernet header included; a bare IP packet where the device has none. */
  | {
      readonly kind: "inject";
      readonly stack: string;
      readonly device: string;
      readonly frame: Uint8Array;
      readonly bare?: boolean;
      readonly count?: number;
    }
  | { readonly kind: "change"; readonly stack: string; readonly change: Change }
  | { readonly kind: "wait"; readonly milliseconds: number };

/** Something that happens to a stack while flows are under way. */
export type Change =
  | { readonly kind: "sysctl"; readonly key: string; readonly value: string }
  | { readonly kind: "route"; readonly action: "add" | "delete"; readonly route: Route }
  | { readonly kind: "rule"; readonly action: "add" | "delete"; readonly rule: RoutingRule }
  | {
      readonly kind: "address";
      readonly action: "add" | "delete";
      readonly device: string;
      readonly address: Device["addresses"][number];
    }
  | { readonly kind: "link"; readonly device: string; readonly up: boolean }
  | { readonly kind: "neighbour"; readonly action: "add" | "delete"; readonly neighbour: Neighbour }
  | {
      readonly kind: "iptables";
      readonly family: Family;
      readonly backend: "legacy" | "nft";
      readonly table: IptablesTable["name"];
      readonly edit:
        | { readonly kind: "append" | "delete"; readonly chain: string; readonly rule: Rule }
        /** Positions count the World's own rules from 1. */
        | { readonly kind: "insert"; readonly chain: string; readonly position: number; readonly rule: Rule }
        | { readonly kind: "flush"; readonly chain: string };
    }
  | { readonly kind: "ipset"; readonly action: "add" | "delete"; readonly set: string; readonly entry: SetEntry }
  | {
      readonly kind: "ipvs";
      readonly action: "add" | "edit" | "delete";
      readonly service: VirtualServiceKey;
      readonly server: RealServer;
    }
  | { readonly kind: "conntrack-flush" };

export interface ObserveOptions {
  /**
   * At the head of which built-in chains an NFLOG rule stands. `loaded`: of the tables the plan loads. `all`: also of
   * raw, mangle, filter and security where the plan loads none; never of nat, whose mere presence changes what happens
   * (docs/kernel-spec.md 3.2). None of them asks for conntrack. `none`: rules are loaded as they are.
   */
  readonly hooks: "all" | "loaded" | "none";
  /** Only in these stacks; absent: in all of the World's. Each costs the start of one tool. */
  readonly hookStacks?: readonly string[];
  readonly frames: boolean;
  /** What nstat shows, after every stimulus. */
  readonly counters: boolean;
  /** At the end. A dump of conntrack walks the whole machine's hash table: some 10 ms a stack. */
  readonly conntrack: boolean;
  readonly ruleCounts: boolean;
}

export const OBSERVE_ALL: ObserveOptions = {
  hooks: "all",
  frames: true,
  counters: true,
  conntrack: true,
  ruleCounts: true,
};
