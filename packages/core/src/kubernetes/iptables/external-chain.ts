import type { Match } from "../../model/index.ts";
import { ifLocal } from "../local-detector.ts";
import { addressType, comment, jump } from "../rules.ts";
import type { ProxyServicePort } from "../service-ports.ts";
import { MARK_MASQ, type PortChains } from "./names.ts";
import type { PortOrigins, Sync } from "./sync.ts";

/**
 * KUBE-EXT-… (1.24 on): where everything to an external IP, load balancer IP or NodePort arrives. With the Cluster policy it is
 * masqueraded; with the Local policy pods and the node itself are short-circuited to the Cluster policy's endpoints.
 */
export function writeExternalChain(
  { nat, view }: Sync,
  port: ProxyServicePort,
  chains: PortChains,
  origins: PortOrigins,
  hasEndpoints: boolean,
): void {
  const { ext, svc, svl } = chains;
  const about = (text: string): Match => comment(`${text} for ${port.name} external destinations`);
  const origin = origins.externalPolicy;
  nat.chain(ext);
  if (port.externalPolicyLocal) {
    const local = ifLocal(view.detector);
    if (local !== undefined) nat.append(ext, { ...local, matches: [about("pod traffic")], target: jump(svc) }, origin);
    const fromNode = addressType("source", "LOCAL");
    nat.append(ext, { matches: [about("masquerade LOCAL traffic"), fromNode], target: jump(MARK_MASQ) }, origin);
    nat.append(ext, { matches: [about("route LOCAL traffic"), fromNode], target: jump(svc) }, origin);
  } else nat.append(ext, { matches: [about("masquerade traffic")], target: jump(MARK_MASQ) }, origin);
  if (hasEndpoints) nat.append(ext, { matches: [], target: jump(port.externalPolicyLocal ? svl : svc) }, origin);
}
