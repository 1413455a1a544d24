import { type Address, formatAddress, protocolName } from "../net/index.ts";
import type { IptablesTableName } from "./netfilter/index.ts";

/**
 * What a walk rests on although nobody showed it, nor does it follow from what was shown. A closed set: each has a value that
 * the walk takes and another that can be walked instead.
 */
export type Ground =
  /** No dump, object or neighbour table knows who is to answer. */
  | { readonly kind: "endpoint"; readonly address: Address; readonly node?: string }
  /** The same of who asks: where it stands is a guess. */
  | { readonly kind: "client"; readonly address: Address; readonly node?: string }
  /** An address of Services that no rule translates, so that it leaves for somebody else: a port it has not, or no Service. */
  | { readonly kind: "service"; readonly address: Address; readonly port: number; readonly known: boolean }
  /** Objects tell of it, and of what happens on it nothing was shown; `address`: whom it hosts. */
  | { readonly kind: "node"; readonly node: string; readonly address?: Address }
  /** A next hop that nobody showed. `routedBy`: another node, shown, that has a route of its own for that destination. */
  | {
      readonly kind: "gateway";
      readonly stack: string;
      readonly gateway: Address;
      readonly destination: Address;
      readonly routedBy?: string;
    }
  /** A table that was cut, or not shown where something programs it; `expected`: as kube-proxy would have programmed it. */
  | {
      readonly kind: "table";
      readonly stack: string;
      readonly table: IptablesTableName;
      readonly how: "cut" | "unshown" | "expected";
      /** Of ip6tables. */
      readonly family?: 6;
    }
  /** The way out of a stack whose routes were not all shown; `made-up`: of one of which nothing but rules was shown. */
  | { readonly kind: "routes"; readonly stack: string; readonly how: "cut" | "unshown" | "made-up" }
  /** A rule sends the packet to a table that no route was shown of. */
  | { readonly kind: "route-table"; readonly stack: string; readonly table: number | string }
  /** Nobody showed the routing rules of a stack that has routing tables of its own. */
  | { readonly kind: "routing-rules"; readonly stack: string }
  /** Nobody showed the address of who asks. */
  | { readonly kind: "source"; readonly stack: string; readonly address: Address }
  /** Nobody is known to have an address, and nobody showed all addresses of this stack. */
  | { readonly kind: "addresses"; readonly stack: string }
  /** Who keeps its source port may go on by an entry from before, and nobody showed the connections. */
  | { readonly kind: "connections"; readonly stack: string; readonly port: number }
  /** Nobody showed which addresses the peers of a WireGuard device take (`allowed ips`). */
  | { readonly kind: "peers"; readonly stack: string; readonly device: string }
  /** Nobody showed how large a packet may be there. */
  | { readonly kind: "mtu"; readonly stack: string; readonly device: string }
  /** Tables of the other iptables back end are loaded, and nobody showed them. */
  | { readonly kind: "legacy-tables"; readonly stack: string }
  /** Of the nftables ruleset only a part was shown, or the listing was cut. */
  | { readonly kind: "nft-rules"; readonly stack: string; readonly how: "part" | "cut" }
  /** Who runs a server, where a rule asks for it. */
  | { readonly kind: "owner"; readonly stack: string }
  /** Whether the socket that TPROXY hands a packet to may have it (IP_TRANSPARENT). */
  | { readonly kind: "transparent"; readonly stack: string; readonly port: number }
  /** Nobody showed whether somebody listens. */
  | {
      readonly kind: "listener";
      readonly stack: string;
      readonly address: Address;
      readonly protocol: number;
      readonly port: number;
    };

/** What is said of one machine, whichever: the end of an id. */
const OF_ONE = /\/(?:unshown|table[46]?\/\w+|routes(?:\/\d+)?|ip-rule|source|addresses|connections|server-owner|nft)$/;

/** The same of any machine: `*\/routes` for `node-1/routes`; undefined: it is of none, or of more than one. */
export const groundOfAny = (id: string): string | undefined => {
  const [end] = OF_ONE.exec(id) ?? [];
  return end === undefined ? undefined : `*${end}`;
};

/** As `--assume` and `case.yaml` take it. */
export function groundId(ground: Ground): string {
  switch (ground.kind) {
    case "endpoint":
    case "service":
      return `endpoint/${formatAddress(ground.address)}`;
    case "client":
      return `client/${formatAddress(ground.address)}`;
    case "node":
      return ground.address === undefined
        ? `${ground.node}/unshown`
        : `${ground.node}/unshown/${formatAddress(ground.address)}`;
    case "gateway":
      return ground.routedBy === undefined
        ? `gateway/${formatAddress(ground.gateway)}`
        : `gateway/${formatAddress(ground.gateway)}/${formatAddress(ground.destination)}`;
    case "table":
      return `${ground.stack}/table${ground.family ?? ""}/${ground.table}`;
    case "routes":
      return `${ground.stack}/routes`;
    case "route-table":
      return `${ground.stack}/routes/${ground.table}`;
    case "routing-rules":
      return `${ground.stack}/ip-rule`;
    case "source":
      return `${ground.stack}/source`;
    case "addresses":
    case "connections":
      return `${ground.stack}/${ground.kind}`;
    case "owner":
      return `${ground.stack}/server-owner`;
    case "transparent":
      return `${ground.stack}/transparent/${ground.port}`;
    case "mtu":
    case "peers":
      return `${ground.stack}/${ground.kind}/${ground.device}`;
    case "legacy-tables":
      return `${ground.stack}/table/legacy`;
    case "nft-rules":
      return `${ground.stack}/nft`;
    case "listener":
      return `${ground.stack}/listen/${protocolName(ground.protocol)}/${ground.port}`;
  }
}

/** The value that the walk takes, and the other one. */
export const GROUND_VALUES: Readonly<Record<Ground["kind"], readonly [string, string]>> = {
  endpoint: ["answers", "gone"],
  client: ["answers", "gone"],
  service: ["answers", "gone"],
  node: ["passes", "drops"],
  gateway: ["passes", "drops"],
  table: ["passes", "drops"],
  routes: ["lead there", "lead nowhere"],
  "route-table": ["empty", "leads elsewhere"],
  "routing-rules": ["default", "lead elsewhere"],
  source: ["as assumed", "another"],
  addresses: ["all shown", "more"],
  connections: ["none", "an old one"],
  owner: ["root", "another"],
  transparent: ["set", "not set"],
  mtu: ["large enough", "too small"],
  peers: ["take it", "do not take it"],
  "legacy-tables": ["passes", "drops"],
  "nft-rules": ["pass", "drop"],
  listener: ["listening", "closed"],
};
