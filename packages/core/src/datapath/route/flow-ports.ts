import type { Packet } from "../../model/index.ts";
import { hasPorts } from "../../net/index.ts";
import type { FlowKey } from "./fib.ts";

/** The ports that `ip rule` sees of a packet; of a fragment, also of the first, none (__skb_flow_dissect() stops there). */
export const flowPorts = ({ protocol, fragment, sport, dport }: Packet): Pick<FlowKey, "sport" | "dport"> =>
  hasPorts(protocol) && fragment === undefined ? { sport, dport } : {};

/** Those of a packet on its way back. */
export function flowPortsBack(packet: Packet): Pick<FlowKey, "sport" | "dport"> {
  const { sport, dport } = flowPorts(packet);
  return sport === undefined || dport === undefined ? {} : { sport: dport, dport: sport };
}
