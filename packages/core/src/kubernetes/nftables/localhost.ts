import { loopbackPrefix } from "../../net/index.ts";
import type { ProxyServicePort } from "../service-ports.ts";
import type { ProxyView } from "../view.ts";
import type { NftTableBuilder } from "./table-builder.ts";
import {
  address,
  concat,
  element,
  field,
  ipOf,
  match,
  network,
  number,
  portKey,
  REJECT,
  symbol,
  vmap,
} from "./words.ts";

const PORTS = "localhost-nodeport-reject-ports";
const chainOf = (protocol: string): string => `localhost-nodeport-reject-${protocol}`;

/**
 * NodePorts on loopback that are refused. Follows localhostNodePortRejectProtocols() (pkg/proxy/nftables/proxier.go): where kube-proxy is told
 * to serve loopback it listens there for TCP itself, and everything else is refused; where it is not, everything is.
 */
function refused({ features, nodePortAddresses }: ProxyView): readonly string[] {
  if (!features.localhostNodePorts) return [];
  return nodePortAddresses.namesLoopback ? ["udp", "sctp"] : ["tcp", "udp", "sctp"];
}

/** What refuses them, whatever Services there are. */
export function writeLocalhostRefusal(table: NftTableBuilder, view: ProxyView): void {
  const protocols = refused(view);
  if (protocols.length === 0) return;
  table.set(PORTS, "map", ["inet_proto", "inet_service"], { comment: "localhost NodePorts rejected by kube-proxy" });
  for (const protocol of protocols) {
    const counter = `localhost-nodeport-rejected-${protocol}`;
    table.counter(counter);
    table.rule(chainOf(protocol), [{ kind: "counter", name: counter }, REJECT]);
  }
  const own = view.family === 4 ? network(loopbackPrefix(4)) : address(loopbackPrefix(6).address);
  table.rule("nodeport-endpoints-check", [match(field(ipOf(view.family), "daddr"), own), vmap(portKey, PORTS)]);
}

/** A Service's NodePort among them. */
export function refuseOnLocalhost(
  table: NftTableBuilder,
  view: ProxyView,
  { protocolName, nodePort }: ProxyServicePort,
): void {
  if (nodePort === undefined || !refused(view).includes(protocolName)) return;
  const key = concat(symbol(protocolName), number(nodePort));
  table.add(PORTS, element(key, { kind: "goto", chain: chainOf(protocolName) }));
}
