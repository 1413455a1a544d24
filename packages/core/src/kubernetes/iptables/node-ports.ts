import { isNot } from "../../model/index.ts";
import { isLoopback } from "../../net/index.ts";
import { nodePortIpsOf } from "../node.ts";
import { addressType, comment, jump, LOOPBACK, toHost } from "../rules.ts";
import { isSince } from "../version.ts";
import type { ProxyView } from "../view.ts";
import { NODEPORTS, SERVICES } from "./names.ts";
import type { Sync } from "./sync.ts";

const LAST_RULE = comment("kubernetes service nodeports; NOTE: this must be the last rule in this chain");

/** NodePorts on 127.0.0.1, which need route_localnet. A setting since 1.26; there never were any for IPv6. */
export const localhostNodePorts = ({ version, config, family, nodePortAddresses }: ProxyView): boolean =>
  family === 4 && nodePortAddresses.containsLoopback && (config.localhostNodePorts || !isSince(version, 26));

/** Of a node without any address for them, NodePorts were passed over from 1.19 to 1.26. */
export const takesNodePorts = (view: ProxyView): boolean =>
  !isSince(view.version, 19) ||
  isSince(view.version, 27) ||
  view.nodePortAddresses.matchAll ||
  nodePortIpsOf(view.nodePortAddresses, view.node).length > 0;

/** The tail call from KUBE-SERVICES, after all other rules. */
export function writeNodePortsJump({ view, nat, origin }: Sync): void {
  const { version, family, nodePortAddresses, node } = view;
  const onLocalhost = localhostNodePorts(view) || !isSince(version, 26);
  const target = jump(NODEPORTS);
  if (nodePortAddresses.matchAll) {
    const except = onLocalhost ? {} : { destination: isNot(LOOPBACK[family]) };
    nat.append(SERVICES, { ...except, matches: [LAST_RULE, addressType("destination", "LOCAL")], target }, origin);
    return;
  }
  for (const address of nodePortIpsOf(nodePortAddresses, node)) {
    if (isLoopback(address) && !onLocalhost) continue;
    nat.append(SERVICES, { ...toHost(address), matches: [LAST_RULE], target }, origin);
  }
}
