import type { Remedy } from "./fix.ts";
import { allowFlow } from "./fixes/allow-flow.ts";
import { bridgeNfOff } from "./fixes/bridge-nf-off.ts";
import { bridgeNfOn } from "./fixes/bridge-nf-on.ts";
import { connReuseOn } from "./fixes/conn-reuse-on.ts";
import { conntrackForget } from "./fixes/conntrack-forget.ts";
import { conntrackLiberal } from "./fixes/conntrack-liberal.ts";
import { conntrackMaxRaise } from "./fixes/conntrack-max-raise.ts";
import { deleteRule } from "./fixes/delete-rule.ts";
import { endpointReplace } from "./fixes/endpoint-replace.ts";
import { exemptFromMasquerade } from "./fixes/exempt-from-masquerade.ts";
import { expireTemplates } from "./fixes/expire-templates.ts";
import { externalPolicyCluster } from "./fixes/external-policy-cluster.ts";
import { flushBackEnd } from "./fixes/flush-back-end.ts";
import { forwardPolicyAccept } from "./fixes/forward-policy-accept.ts";
import { hairpinOn } from "./fixes/hairpin-on.ts";
import { internalPolicyCluster } from "./fixes/internal-policy-cluster.ts";
import { ipForwardOn } from "./fixes/ip-forward-on.ts";
import { lbSourceNotKept } from "./fixes/lb-source-not-kept.ts";
import { linkUp } from "./fixes/link-up.ts";
import { masqueradeFlow } from "./fixes/masquerade-flow.ts";
import { masqueradeIntoOverlay } from "./fixes/masquerade-into-overlay.ts";
import { mtuLower } from "./fixes/mtu-lower.ts";
import { neighbourLimitsRaise } from "./fixes/neighbour-limits-raise.ts";
import { policyRuleMain } from "./fixes/policy-rule-main.ts";
import { routeAdd } from "./fixes/route-add.ts";
import { routeCorrect } from "./fixes/route-correct.ts";
import { routeLocalnetOn } from "./fixes/route-localnet-on.ts";
import { routeRemove } from "./fixes/route-remove.ts";
import { rpFilterLoose } from "./fixes/rp-filter-loose.ts";
import { rpFilterOff } from "./fixes/rp-filter-off.ts";
import { serveOnNode } from "./fixes/serve-on-node.ts";
import { serviceRoute } from "./fixes/service-route.ts";
import { sourceRangesExtend } from "./fixes/source-ranges-extend.ts";
import { srcDstCheckOff } from "./fixes/src-dst-check-off.ts";
import { strictArp } from "./fixes/strict-arp.ts";
import { targetPortCorrect } from "./fixes/target-port-correct.ts";
import { twRecycleOff } from "./fixes/tw-recycle-off.ts";
import { unbindAddress } from "./fixes/unbind-address.ts";
import { underlayAllow } from "./fixes/underlay-allow.ts";
import { vxlanChecksumOff } from "./fixes/vxlan-checksum-off.ts";

/** Every fix there is. Which of them help, the walk says. */
export const REMEDIES: readonly Remedy[] = [
  hairpinOn,
  exemptFromMasquerade,
  allowFlow,
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
