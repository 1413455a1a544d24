import type { StackCommand } from "../../../assemble/index.ts";
import { type Text, text } from "../../../messages/index.ts";
import { isKubeProxyTable, type NftTable, type RuleStep } from "../../../model/index.ts";
import { formatAddress } from "../../../net/index.ts";
import { type Scene, wayOf } from "../../cause.ts";
import type { CauseCode } from "../../code.ts";
import { policyCluster } from "../rules/etp-local-no-endpoint-iptables.ts";
import { rangeWith } from "../rules/lb-source-ranges.ts";

/** What one of kube-proxy's own nftables chains drops for. */
export interface ProxyRefusal {
  readonly code: CauseCode;
  readonly summary: Text;
  /** The change of the Service that lets it pass; none: nothing but an endpoint does. */
  readonly without: readonly StackCommand[];
}

/**
 * kube-proxy's nftables mode: Services without endpoints go to `reject-chain`, those whose only endpoints are elsewhere (Local) are
 * dropped by the verdict of their element, and loadBalancerSourceRanges by the Service's `firewall-` chain.
 */
export function proxyRefusal(scene: Scene, table: NftTable, { chain }: RuleStep): ProxyRefusal | undefined {
  if (!isKubeProxyTable(table.name)) return undefined;
  const at = { direction: wayOf(scene), stack: scene.leg.stack };
  if (chain === "reject-chain") return { code: "NO_ENDPOINTS", summary: text("cause.no_endpoints", at), without: [] };
  if (chain.endsWith("endpoints-check")) {
    const summary = text("cause.etp_local_no_endpoint_iptables", at);
    return { code: "ETP_LOCAL_NO_ENDPOINT_IPTABLES", summary, without: policyCluster(scene) };
  }
  if (!chain.startsWith("firewall-")) return undefined;
  const summary = text("cause.lb_source_ranges", { ...at, source: formatAddress(scene.leg.final.src) });
  return { code: "LB_SOURCE_RANGES", summary, without: rangeWith(scene) };
}
