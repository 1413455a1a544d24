import type { FabricDecision } from "./fabric.ts";
import type { IpvsDecision } from "./ipvs.ts";
import type { LinkDecision } from "./link.ts";
import type { NetfilterDecision } from "./netfilter.ts";
import type { RoutingDecision } from "./routing.ts";
import type { SocketDecision } from "./socket.ts";
import type { TunnelDecision } from "./tunnel.ts";
import type { Unknown } from "./unknown.ts";

/**
 * What was decided about a packet, as data: one kind for each thing that can happen, grouped by the part of the kernel (or of
 * the network) that does it. `messages/events` says it to people; nothing else does, and nothing decides by how it is said.
 */
export type Decision =
  | NetfilterDecision
  | RoutingDecision
  | LinkDecision
  | IpvsDecision
  | TunnelDecision
  | SocketDecision
  | FabricDecision
  | Unknown;
