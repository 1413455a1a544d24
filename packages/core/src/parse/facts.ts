import type {
  AttachedProgram,
  BridgeVlan,
  CardAddress,
  ConntrackEntry,
  Device,
  Extent,
  FdbEntry,
  FlannelSubnet,
  IpSet,
  IptablesTable,
  IpvsConnection,
  KubernetesObjects,
  Listener,
  Machine,
  Neighbour,
  NexthopObject,
  NftTable,
  ObservedComplaint,
  ObservedCounter,
  ObservedLogLine,
  ObservedMartian,
  ObservedPacket,
  ObservedServiceLine,
  ObservedSetting,
  Origin,
  OtherDatapath,
  RegisteredHook,
  Route,
  RouteGet,
  RoutingRule,
  Symptom,
  SysctlEntry,
  VirtualService,
} from "../model/index.ts";
import type { Family } from "../net/index.ts";
import type { IpCommand } from "./iproute2/command/command.ts";
import type { IpsetCommand } from "./ipset/command.ts";
import type { IptablesCommand } from "./iptables/command/command.ts";
import type { IpvsCommand } from "./ipvs/command.ts";
import type { SysctlCommand } from "./sysctl/command.ts";

/** A table that is there, whatever is in it. */
export type NamedNftTable = Pick<NftTable, "family" | "name" | "origin">;

/** What one dump says: typed by what it is about, not by which tool printed it, so that `ip -j addr` and ifconfig meet. */
export type Facts =
  | { readonly kind: "iptables"; readonly tables: readonly IptablesTable[] }
  /** Commands as typed, in order: they change tables rather than show them. */
  | { readonly kind: "iptables-commands"; readonly commands: readonly IptablesCommand[] }
  | {
      readonly kind: "nft";
      readonly tables: readonly NftTable[];
      readonly extent: Extent;
      /** The text ends inside of a table. */
      readonly cut?: boolean;
    }
  /** What runs at which hook, in the order of running: `nft list hooks`. */
  | { readonly kind: "nft-hooks"; readonly hooks: readonly RegisteredHook[]; readonly extent: Extent }
  /** Which tables there are: `nft list tables`. */
  | { readonly kind: "nft-tables"; readonly tables: readonly NamedNftTable[]; readonly extent: Extent }
  | { readonly kind: "ipset"; readonly sets: readonly IpSet[]; readonly extent: Extent }
  /** `ipset …`, `ipvsadm …` and `sysctl -w …` as typed, in order: they change things rather than show them. */
  | { readonly kind: "ipset-commands"; readonly commands: readonly IpsetCommand[] }
  | { readonly kind: "ipvs"; readonly services: readonly VirtualService[]; readonly extent: Extent }
  | { readonly kind: "ipvs-commands"; readonly commands: readonly IpvsCommand[] }
  | { readonly kind: "ipvs-connections"; readonly connections: readonly IpvsConnection[]; readonly extent: Extent }
  | {
      readonly kind: "routing-rules";
      readonly family: Family;
      readonly rules: readonly RoutingRule[];
      readonly extent: Extent;
    }
  /** `tables`: which tables this listing was asked for ("all" for `table all`); what it lacks of those is absent. */
  | {
      readonly kind: "routes";
      readonly family: Family;
      readonly routes: readonly Route[];
      readonly tables: readonly (number | string)[] | "all";
      readonly extent: Extent;
    }
  /** `shows`: which attributes this form prints, so that a missing address list is not taken for an empty one. */
  | {
      readonly kind: "devices";
      readonly devices: readonly Device[];
      readonly shows: readonly ("link" | "ipv4" | "ipv6" | "bridge-port")[];
      readonly extent: Extent;
    }
  | { readonly kind: "neighbours"; readonly neighbours: readonly Neighbour[]; readonly extent: Extent }
  | { readonly kind: "route-gets"; readonly answers: readonly RouteGet[] }
  | { readonly kind: "nexthops"; readonly nexthops: readonly NexthopObject[]; readonly extent: Extent }
  /** `ip route add …` and the like as typed, in order: they change things rather than show them. */
  | { readonly kind: "ip-commands"; readonly commands: readonly IpCommand[] }
  | { readonly kind: "fdb"; readonly entries: readonly FdbEntry[]; readonly extent: Extent }
  | { readonly kind: "bridge-vlans"; readonly vlans: readonly BridgeVlan[]; readonly extent: Extent }
  /** `missing`: keys that the kernel said it does not have (no br_netfilter, no such device). */
  | {
      readonly kind: "sysctls";
      readonly entries: readonly SysctlEntry[];
      readonly missing?: readonly { readonly key: string; readonly origin: Origin }[];
    }
  | { readonly kind: "sysctl-commands"; readonly commands: readonly SysctlCommand[] }
  | { readonly kind: "machine"; readonly machine: Machine }
  /** Which addresses of its pods a cloud delivers to which card of the node. */
  | { readonly kind: "card-addresses"; readonly addresses: readonly CardAddress[] }
  /** XDP, tc and cgroup programs; a whole list shows those of every device. */
  | { readonly kind: "programs"; readonly programs: readonly AttachedProgram[]; readonly extent: Extent }
  /** What the tool of another datapath says of itself; `devices`: all that it has. */
  | { readonly kind: "other-datapath"; readonly datapath: OtherDatapath; readonly devices?: readonly string[] }
  /** Of the cluster, not of a node. */
  | { readonly kind: "kubernetes"; readonly objects: KubernetesObjects }
  | { readonly kind: "flannel-subnet"; readonly subnet: FlannelSubnet }
  /** What a capture shows; `device` is the one it was taken on, `any` for all. */
  | { readonly kind: "packets"; readonly packets: readonly ObservedPacket[]; readonly device?: string }
  | {
      readonly kind: "kernel-log";
      readonly lines: readonly ObservedLogLine[];
      readonly martians: readonly ObservedMartian[];
      readonly complaints: readonly ObservedComplaint[];
    }
  | { readonly kind: "service-log"; readonly lines: readonly ObservedServiceLine[] }
  | { readonly kind: "conntrack"; readonly entries: readonly ConntrackEntry[]; readonly extent: Extent }
  /** `wholeFor`: protocols of which every listener is shown, where the whole is not. */
  | {
      readonly kind: "listeners";
      readonly listeners: readonly Listener[];
      readonly extent: Extent;
      readonly wholeFor: readonly number[];
    }
  | { readonly kind: "counters"; readonly counters: readonly ObservedCounter[] }
  | { readonly kind: "settings"; readonly settings: readonly ObservedSetting[] }
  | { readonly kind: "symptoms"; readonly symptoms: readonly Symptom[] }
  /** Recognised, to be read by a later version: a capture that is too large, sets in XML. */
  | { readonly kind: "not-read-yet"; readonly what: string };

/** Facts of what was seen, which say nothing of how a stack is set up. */
const OBSERVED: ReadonlySet<Facts["kind"]> = new Set([
  "packets",
  "kernel-log",
  "service-log",
  "conntrack",
  "listeners",
  "counters",
  "settings",
  "symptoms",
]);

export const isObserved = (kind: Facts["kind"]): boolean => OBSERVED.has(kind);
