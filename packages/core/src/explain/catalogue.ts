import type { Cause } from "./cause.ts";
import { answerNotTranslated } from "./causes/answer-not-translated.ts";
import { plainCauses } from "./causes/by-drop.ts";
import { conntrackStaleUdp } from "./causes/conntrack-stale-udp.ts";
import { hairpinOff } from "./causes/hairpin-off.ts";
import { ipForwardOff } from "./causes/ip-forward-off.ts";
import { ipvsConnReuseWalked } from "./causes/ipvs-conn-reuse.ts";
import { ipvsLocalhost } from "./causes/ipvs-localhost-nodeport.ts";
import { ipvsNoDestination } from "./causes/ipvs-no-destination.ts";
import { ipvsPersistenceStale } from "./causes/ipvs-persistence-stale.ts";
import { kubeIpvs0AddrConflict } from "./causes/kube-ipvs0-addr-conflict.ts";
import { l2Path } from "./causes/l2-path.ts";
import { lbLoopback } from "./causes/lb-loopback.ts";
import { legacyNftConflictWalked } from "./causes/legacy-nft-conflict.ts";
import { martianLocalSource } from "./causes/martian-local-source.ts";
import { masqMissingIpvsHost } from "./causes/masq-missing-ipvs-host.ts";
import { masqTooMuch } from "./causes/masq-too-much.ts";
import { masqueradeLost } from "./causes/masquerade-lost.ts";
import { natPortRewrite } from "./causes/nat-port-rewrite.ts";
import { netfilterDrop } from "./causes/netfilter-drop.ts";
import { nftDrop } from "./causes/nft-drop.ts";
import { noRoute } from "./causes/no-route.ts";
import { nodeportAddresses } from "./causes/nodeport-addresses.ts";
import { nodeportShadowsHostPort } from "./causes/nodeport-shadows-host-port.ts";
import { notrackVsPolicy } from "./causes/notrack-vs-policy.ts";
import { policyRoutePodSource } from "./causes/policy-route-pod-source.ts";
import { routingLoop } from "./causes/routing-loop.ts";
import { rpFilterStrict } from "./causes/rp-filter-strict.ts";
import { sourceSelectionMasquerade } from "./causes/src-selection-masquerade.ts";
import { masqMissingNodeToPod, sourceSelectionMultiNic } from "./causes/src-selection-multi-nic.ts";
import { staleEndpoint } from "./causes/stale-endpoint.ts";
import { targetPortMismatch } from "./causes/target-port-mismatch.ts";
import { tunnelFaults } from "./causes/tunnel.ts";
import { wrongPodRoute } from "./causes/wrong-pod-route.ts";
import type { Sign } from "./sign.ts";
import { answerByOtherCard } from "./signs/answer-by-other-card.ts";
import { answerLost } from "./signs/answer-lost.ts";
import { arpNotStrict } from "./signs/arp-not-strict.ts";
import { arpTableOverflow } from "./signs/arp-table-overflow.ts";
import { asymmetric } from "./signs/asymmetric.ts";
import { bridgeNfOffSeen } from "./signs/bridge-nf-off.ts";
import { cidrOverlap } from "./signs/cidr-overlap.ts";
import { conntrackFull } from "./signs/conntrack-full.ts";
import { conntrackInsertRace } from "./signs/conntrack-insert-race.ts";
import { conntrackInvalidRst } from "./signs/conntrack-invalid-rst.ts";
import { conntrackStaleUdpShown } from "./signs/conntrack-stale-udp.ts";
import { divertedSource } from "./signs/diverted-source.ts";
import { dnsRace } from "./signs/dns-race.ts";
import { dropCounted, forwardPolicyShown } from "./signs/drop-counted.ts";
import { dropLogged } from "./signs/drop-logged.ts";
import { duplicateVtepMac } from "./signs/duplicate-vtep-mac.ts";
import { ipFamilyMismatch } from "./signs/ip-family-mismatch.ts";
import { ipvsConnReuse } from "./signs/ipvs-conn-reuse.ts";
import { kubeIpvs0Shared } from "./signs/kube-ipvs0-addr-conflict.ts";
import { lbLoopbackSeen } from "./signs/lb-loopback.ts";
import { legacyNftConflict } from "./signs/legacy-nft-conflict.ts";
import { martianLogged } from "./signs/martian-logged.ts";
import { masqMissingRemoteEndpoint } from "./signs/masq-missing-remote-endpoint.ts";
import { mtuBlackhole } from "./signs/mtu-blackhole.ts";
import { noEndpointsObjects } from "./signs/no-endpoints.ts";
import { nodeportAddressesConfigured } from "./signs/nodeport-addresses.ts";
import { nodeportPortTaken } from "./signs/nodeport-port-taken.ts";
import { datapathNotModelled, ruleUnknown } from "./signs/not-understood.ts";
import { refusedByVirtualAddress } from "./signs/refused-by-virtual-address.ts";
import { portNotInService, serviceNotProgrammedHere } from "./signs/service-port.ts";
import { tcpTwRecycleNat } from "./signs/tcp-tw-recycle-nat.ts";
import { underlayFilter } from "./signs/underlay-filter.ts";
import { vxlanTxCsumOffload } from "./signs/vxlan-tx-csum-offload.ts";
import { wrongUnderlayInterface } from "./signs/wrong-underlay-interface.ts";

/** Every cause that a walk can show. */
export const CAUSES: readonly Cause[] = [
  rpFilterStrict,
  policyRoutePodSource,
  sourceSelectionMasquerade,
  sourceSelectionMultiNic,
  masqMissingNodeToPod,
  wrongPodRoute,
  martianLocalSource,
  kubeIpvs0AddrConflict,
  lbLoopback,
  masqTooMuch,
  ipvsNoDestination,
  masqMissingIpvsHost,
  ipvsLocalhost,
  ipvsPersistenceStale,
  netfilterDrop,
  nftDrop,
  hairpinOff,
  answerNotTranslated,
  ipForwardOff,
  noRoute,
  natPortRewrite,
  conntrackStaleUdp,
  ipvsConnReuseWalked,
  notrackVsPolicy,
  legacyNftConflictWalked,
  targetPortMismatch,
  nodeportShadowsHostPort,
  nodeportAddresses,
  masqueradeLost,
  routingLoop,
  staleEndpoint,
  l2Path,
  tunnelFaults,
  plainCauses,
];

/** Causes that only what was seen, or an object, can show. */
export const SIGNS: readonly Sign[] = [
  portNotInService,
  serviceNotProgrammedHere,
  dropLogged,
  martianLogged,
  answerByOtherCard,
  bridgeNfOffSeen,
  conntrackInvalidRst,
  lbLoopbackSeen,
  answerLost,
  refusedByVirtualAddress,
  divertedSource,
  duplicateVtepMac,
  wrongUnderlayInterface,
  underlayFilter,
  vxlanTxCsumOffload,
  arpNotStrict,
  tcpTwRecycleNat,
  ipvsConnReuse,
  conntrackInsertRace,
  conntrackFull,
  arpTableOverflow,
  nodeportPortTaken,
  nodeportAddressesConfigured,
  asymmetric,
  noEndpointsObjects,
  ipFamilyMismatch,
  legacyNftConflict,
  cidrOverlap,
  kubeIpvs0Shared,
  mtuBlackhole,
  masqMissingRemoteEndpoint,
  dnsRace,
  conntrackStaleUdpShown,
  dropCounted,
  forwardPolicyShown,
  datapathNotModelled,
  ruleUnknown,
];
