import type { Address, Mac, PortRange, Prefix } from "../net/index.ts";
import type { Origin } from "./origin.ts";
import type { DeviceProgram } from "./other-datapath.ts";

export type DeviceKind =
  | "loopback"
  | "ethernet"
  | "veth"
  | "bridge"
  | "dummy"
  | "vlan"
  | "vxlan"
  | "geneve"
  | "ipip"
  | "sit"
  | "gre"
  | "ip6tnl"
  | "ip6gre"
  | "tun"
  | "tap"
  | "macvlan"
  | "macvtap"
  | "ipvlan"
  | "bond"
  | "team"
  | "vrf"
  | "wireguard"
  | "ifb"
  | "nlmon"
  | "xfrm"
  | "openvswitch"
  | "unknown";

/** What carries packets inside others to an end that is found by address. */
const TUNNELS: ReadonlySet<DeviceKind> = new Set<DeviceKind>([
  "vxlan",
  "geneve",
  "ipip",
  "sit",
  "gre",
  "ip6tnl",
  "ip6gre",
  "tun",
  "wireguard",
]);
export const isTunnel = ({ kind }: Pick<Device, "kind">): boolean => TUNNELS.has(kind);

const NO_ETHERNET: ReadonlySet<DeviceKind> = new Set<DeviceKind>([
  "loopback",
  "tun",
  "ipip",
  "sit",
  "gre",
  "ip6tnl",
  "ip6gre",
  "wireguard",
]);
/** Whether its frames have link-layer addresses (ARPHRD_ETHER). */
export const isEthernet = ({ kind }: Pick<Device, "kind">): boolean => !NO_ETHERNET.has(kind);

/** A card of its own on another one's wire: macvlan, or ipvlan in l2 mode. */
export const isChildCard = ({ kind, mode }: Pick<Device, "kind" | "mode">): boolean =>
  kind === "macvlan" || kind === "macvtap" || (kind === "ipvlan" && (mode === undefined || mode === "l2"));

export type AddressScope = "global" | "site" | "link" | "host" | "nowhere" | number;

export interface DeviceAddress {
  /** Address with the prefix length it was configured with. */
  readonly prefix: Prefix;
  readonly peer?: Prefix;
  readonly broadcast?: Address;
  readonly scope: AddressScope;
  /** `secondary`, `dynamic`, `noprefixroute`, `tentative`, `deprecated`, … as printed. */
  readonly flags: readonly string[];
  readonly label?: string;
  /** Metric of the connected route (IFA_RT_PRIORITY). */
  readonly metric?: number;
  /** `proto kernel_ll` and the like. */
  readonly protocol?: string;
  /** Seconds left. */
  readonly validLifetime?: number | "forever";
  readonly preferredLifetime?: number | "forever";
  readonly origin: Origin;
}

/**
 * What ip(8) prints after `@`: the other end of a veth pair, by name in the same namespace, else by index and namespace.
 * Where the kind is not known it may also be the device below.
 */
export interface PeerRef {
  readonly name?: string;
  readonly index?: number;
  readonly netnsid?: number;
  readonly netnsName?: string;
}

export interface VlanParameters {
  readonly id: number;
  readonly protocol: "802.1Q" | "802.1ad";
}

export interface TunnelParameters {
  readonly id?: number;
  readonly local?: Address;
  readonly remote?: Address;
  readonly group?: Address;
  readonly port?: number;
  readonly ttl?: number | "inherit" | "auto";
  readonly learning?: boolean;
  readonly external?: boolean;
  readonly udpChecksum?: boolean;
  /** VXLAN and Geneve: whether the outer packet has DF; absent: it has not. */
  readonly df?: "set" | "inherit";
  /** IPIP and GRE: `nopmtudisc`; absent: every outer packet has DF. */
  readonly pathMtuDiscovery?: false;
  /** VXLAN `srcport LOW HIGH`; 0 0 is the local port range. */
  readonly sourcePorts?: PortRange;
  /** GRE and the like: `key`, or `ikey` and `okey`. */
  readonly inputKey?: number;
  readonly outputKey?: number;
  /** ip6tnl and ip6gre: `encaplimit`; absent: 4, with eight bytes of destination options before what is carried. */
  readonly encapLimit?: number | "none";
}

export interface BridgeParameters {
  readonly stp?: boolean;
  readonly vlanFiltering?: boolean;
  readonly nfCallIptables?: boolean;
  readonly nfCallIp6tables?: boolean;
  readonly id?: string;
}

export interface BridgePort {
  /** forwarding | learning | listening | blocking | disabled */
  readonly state?: string;
  readonly hairpin?: boolean;
  /** The line that says so, where the device's own is another. */
  readonly hairpinOrigin?: Origin;
  readonly isolated?: boolean;
  readonly learning?: boolean;
  readonly flood?: boolean;
  readonly proxyArp?: boolean;
  readonly pathCost?: number;
  readonly priority?: number;
  readonly neighbourSuppression?: boolean;
  readonly multicastFlood?: boolean;
  readonly broadcastFlood?: boolean;
  /** Takes frames only from whom its forwarding table has behind it. */
  readonly locked?: boolean;
}

export interface BridgeVlan {
  readonly device: string;
  readonly from: number;
  readonly to: number;
  readonly pvid: boolean;
  readonly untagged: boolean;
  /** `bridge vlan tunnelshow`: the VNI that `from` is carried in; the range goes on from there. */
  readonly tunnelId?: number;
  readonly origin: Origin;
}

/**
 * A network device of one stack. Every field that a dump did not show is left out: "not known" is not "default".
 * `addresses` holds both families in the kernel's list order, which decides source selection.
 */
export interface Device {
  readonly name: string;
  readonly index?: number;
  readonly kind: DeviceKind;
  /** The kind as printed, where `kind` does not say it all: `gretap`, `bareudp`, `netkit`. */
  readonly kindName?: string;
  /** Where `kind` comes from if no dump prints it: told by flags, by position, by a well-known name. */
  readonly kindOrigin?: Origin;
  /** `ether`, `loopback`, `none`, `ipip`, … after `link/`. */
  readonly linkType?: string;
  /** Flags as printed between < and >: UP, LOWER_UP, NO-CARRIER, NOARP, BROADCAST, PROMISC, MASTER, SLAVE, … */
  readonly flags?: readonly string[];
  /** Administratively up (IFF_UP). */
  readonly up?: boolean;
  /** Link present (LOWER_UP / not NO-CARRIER). */
  readonly carrier?: boolean;
  readonly operState?: string;
  readonly mac?: Mac;
  readonly mtu?: number;
  readonly qdisc?: string;
  readonly group?: string;
  readonly addresses: readonly DeviceAddress[];
  /** Whether `addresses` is all there is. */
  readonly addressesKnown: boolean;
  readonly master?: string;
  readonly peer?: PeerRef;
  /** The lower device of a vlan, macvlan, ipvlan, or of a vxlan's `dev`. */
  readonly lower?: string;
  readonly vlan?: VlanParameters;
  readonly tunnel?: TunnelParameters;
  readonly bridge?: BridgeParameters;
  readonly port?: BridgePort;
  /** macvlan: bridge | private | vepa | passthru; ipvlan: l2 | l3 | l3s. */
  readonly mode?: string;
  /** An XDP or tc program was seen on it: the datapath is not modelled from here on. */
  readonly programs?: readonly DeviceProgram[];
  /** Addresses of pods that the cloud delivers to this card. */
  readonly delegated?: readonly Address[];
  readonly altnames?: readonly string[];
  readonly alias?: string;
  /** The table of a VRF. */
  readonly vrfTable?: number;
  readonly origin: Origin;
}

/** An address that a cloud gave to a card of a node for a pod. */
export interface CardAddress {
  readonly address: Address;
  /** The number of the card; absent where only the pod is named. */
  readonly card?: number;
  readonly pod?: { readonly namespace: string; readonly name: string };
  readonly origin: Origin;
}

export interface FdbEntry {
  readonly mac: Mac;
  readonly device: string;
  readonly master?: string;
  readonly vlan?: number;
  /** VXLAN: where frames for this MAC are sent. */
  readonly destination?: Address;
  readonly vni?: number;
  readonly port?: number;
  /** VXLAN: the device frames leave by, where the entry names one. */
  readonly via?: string;
  /** VXLAN: a nexthop group instead of a destination. */
  readonly nexthopId?: number;
  /** self, permanent, static, extern_learn, offload, … as printed. */
  readonly flags: readonly string[];
  readonly origin: Origin;
}
