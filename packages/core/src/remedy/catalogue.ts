import type { Remedy } from "./fix.ts";
import { conntrackForget } from "./fixes/conntrack/conntrack-forget.ts";
import { conntrackLiberal } from "./fixes/conntrack/conntrack-liberal.ts";
import { conntrackMaxRaise } from "./fixes/conntrack/conntrack-max-raise.ts";
import { twRecycleOff } from "./fixes/conntrack/tw-recycle-off.ts";
import { allowNeighbourDiscovery } from "./fixes/ipv6/allow-neighbour-discovery.ts";
import { allowPacketTooBig } from "./fixes/ipv6/allow-packet-too-big.ts";
import { defaultRoute6 } from "./fixes/ipv6/default-route.ts";
import { ipv6On } from "./fixes/ipv6/ipv6-on.ts";
import { ndpProxy } from "./fixes/ipv6/ndp-proxy.ts";
import { connReuseOn } from "./fixes/ipvs/conn-reuse-on.ts";
import { expireTemplates } from "./fixes/ipvs/expire-templates.ts";
import { unbindAddress } from "./fixes/ipvs/unbind-address.ts";
import { hairpinOn } from "./fixes/link/hairpin-on.ts";
import { linkUp } from "./fixes/link/link-up.ts";
import { mtuLower } from "./fixes/link/mtu-lower.ts";
import { neighbourLimitsRaise } from "./fixes/link/neighbour-limits-raise.ts";
import { strictArp } from "./fixes/link/strict-arp.ts";
import { vxlanChecksumOff } from "./fixes/link/vxlan-checksum-off.ts";
import { allowFlow } from "./fixes/netfilter/allow-flow.ts";
import { bridgeNfOff } from "./fixes/netfilter/bridge-nf-off.ts";
import { bridgeNfOn } from "./fixes/netfilter/bridge-nf-on.ts";
import { deleteRule } from "./fixes/netfilter/delete-rule.ts";
import { exemptFromMasquerade } from "./fixes/netfilter/exempt-from-masquerade.ts";
import { flushBackEnd } from "./fixes/netfilter/flush-back-end.ts";
import { forwardPolicyAccept } from "./fixes/netfilter/forward-policy-accept.ts";
import { masqueradeFlow } from "./fixes/netfilter/masquerade-flow.ts";
import { masqueradeIntoOverlay } from "./fixes/netfilter/masquerade-into-overlay.ts";
import { nftAllowFlow } from "./fixes/netfilter/nft-allow-flow.ts";
import { nftPolicyAccept } from "./fixes/netfilter/nft-policy-accept.ts";
import { underlayAllow } from "./fixes/netfilter/underlay-allow.ts";
import { ipForwardOn } from "./fixes/routing/ip-forward-on.ts";
import { policyRuleMain } from "./fixes/routing/policy-rule-main.ts";
import { routeAdd } from "./fixes/routing/route-add.ts";
import { routeCorrect } from "./fixes/routing/route-correct.ts";
import { routeLocalnetOn } from "./fixes/routing/route-localnet-on.ts";
import { routeRemove } from "./fixes/routing/route-remove.ts";
import { rpFilterLoose } from "./fixes/routing/rp-filter-loose.ts";
import { rpFilterOff } from "./fixes/routing/rp-filter-off.ts";
import { serviceRoute } from "./fixes/routing/service-route.ts";
import { srcDstCheckOff } from "./fixes/routing/src-dst-check-off.ts";
import { endpointReplace } from "./fixes/service/endpoint-replace.ts";
import { externalPolicyCluster } from "./fixes/service/external-policy-cluster.ts";
import { internalPolicyCluster } from "./fixes/service/internal-policy-cluster.ts";
import { lbSourceNotKept } from "./fixes/service/lb-source-not-kept.ts";
import { serveOnNode } from "./fixes/service/serve-on-node.ts";
import { sourceRangesExtend } from "./fixes/service/source-ranges-extend.ts";
import { targetPortCorrect } from "./fixes/service/target-port-correct.ts";

/** Every fix there is. Which of them help, the walk says. */
export const REMEDIES: readonly Remedy[] = [
  hairpinOn,
  exemptFromMasquerade,
  allowFlow,
  nftAllowFlow,
  nftPolicyAccept,
  routeAdd,
  serviceRoute,
  policyRuleMain,
  masqueradeFlow,
  masqueradeIntoOverlay,
  externalPolicyCluster,
  internalPolicyCluster,
  sourceRangesExtend,
  serveOnNode,
  rpFilterLoose,
  rpFilterOff,
  allowNeighbourDiscovery,
  allowPacketTooBig,
  defaultRoute6,
  ipv6On,
  ndpProxy,
  bridgeNfOn,
  ipForwardOn,
  routeRemove,
  routeCorrect,
  endpointReplace,
  targetPortCorrect,
  linkUp,
  mtuLower,
  routeLocalnetOn,
  expireTemplates,
  conntrackForget,
  flushBackEnd,
  forwardPolicyAccept,
  deleteRule,
  unbindAddress,
  bridgeNfOff,
  lbSourceNotKept,
  underlayAllow,
  srcDstCheckOff,
  connReuseOn,
  conntrackLiberal,
  conntrackMaxRaise,
  neighbourLimitsRaise,
  strictArp,
  twRecycleOff,
  vxlanChecksumOff,
];
