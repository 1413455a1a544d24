import type { Cause } from "./cause.ts";
import { plainCauses } from "./causes/by-drop.ts";
import { ipv6Disabled, linkLocalWithoutZone, raIgnored, srcSelectionIpv6 } from "./causes/ipv6/addressing.ts";
import { discovery } from "./causes/ipv6/discovery.ts";
import { nat66Missing } from "./causes/ipv6/nat66-missing.ts";
import { pmtuFiltered } from "./causes/ipv6/pmtu-filtered.ts";
import { ipvsConnReuseWalked } from "./causes/ipvs/ipvs-conn-reuse.ts";
import { ipvsLocalhost } from "./causes/ipvs/ipvs-localhost-nodeport.ts";
import { ipvsNoDestination } from "./causes/ipvs/ipvs-no-destination.ts";
import { ipvsPersistenceStale } from "./causes/ipvs/ipvs-persistence-stale.ts";
import { kubeIpvs0AddrConflict } from "./causes/ipvs/kube-ipvs0-addr-conflict.ts";
import { hairpinOff } from "./causes/link/hairpin-off.ts";
import { l2Path } from "./causes/link/l2-path.ts";
import { tunnelFaults } from "./causes/link/tunnel.ts";
import { answerNotTranslated } from "./causes/netfilter/answer-not-translated.ts";
import { conntrackStaleUdp } from "./causes/netfilter/conntrack-stale-udp.ts";
import { legacyNftConflictWalked } from "./causes/netfilter/legacy-nft-conflict.ts";
import { masqMissingIpvsHost } from "./causes/netfilter/masq-missing-ipvs-host.ts";
import { masqTooMuch } from "./causes/netfilter/masq-too-much.ts";
import { masqueradeLost } from "./causes/netfilter/masquerade-lost.ts";
import { natPortRewrite } from "./causes/netfilter/nat-port-rewrite.ts";
import { netfilterDrop } from "./causes/netfilter/netfilter-drop.ts";
import { nftDrop } from "./causes/netfilter/nft-drop.ts";
import { notrackVsPolicy } from "./causes/netfilter/notrack-vs-policy.ts";
import { sourceSelectionMasquerade } from "./causes/netfilter/src-selection-masquerade.ts";
import { ipForwardOff } from "./causes/routing/ip-forward-off.ts";
import { martianLocalSource } from "./causes/routing/martian-local-source.ts";
import { noRoute } from "./causes/routing/no-route.ts";
import { policyRoutePodSource } from "./causes/routing/policy-route-pod-source.ts";
import { routeLocalnet } from "./causes/routing/route-localnet.ts";
import { routingLoop } from "./causes/routing/routing-loop.ts";
import { rpFilterStrict } from "./causes/routing/rp-filter-strict.ts";
import { masqMissingNodeToPod, sourceSelectionMultiNic } from "./causes/routing/src-selection-multi-nic.ts";
import { wrongPodRoute } from "./causes/routing/wrong-pod-route.ts";
import { lbLoopback } from "./causes/service/lb-loopback.ts";
import { nodeportAddresses } from "./causes/service/nodeport-addresses.ts";
import { nodeportShadowsHostPort } from "./causes/service/nodeport-shadows-host-port.ts";
import { staleEndpoint } from "./causes/service/stale-endpoint.ts";
import { targetPortMismatch } from "./causes/service/target-port-mismatch.ts";
import type { Sign } from "./sign.ts";
import { conntrackFull } from "./signs/conntrack/conntrack-full.ts";
import { conntrackInsertRace } from "./signs/conntrack/conntrack-insert-race.ts";
import { conntrackInvalidRst } from "./signs/conntrack/conntrack-invalid-rst.ts";
import { conntrackStaleUdpShown } from "./signs/conntrack/conntrack-stale-udp.ts";
import { dnsRace } from "./signs/conntrack/dns-race.ts";
import { tcpTwRecycleNat } from "./signs/conntrack/tcp-tw-recycle-nat.ts";
import { arpNotStrict } from "./signs/link/arp-not-strict.ts";
import { arpTableOverflow } from "./signs/link/arp-table-overflow.ts";
import { duplicateVtepMac } from "./signs/link/duplicate-vtep-mac.ts";
import { fixedNeighbour } from "./signs/link/fixed-neighbour.ts";
import { mtuBlackhole } from "./signs/link/mtu-blackhole.ts";
import { vxlanTxCsumOffload } from "./signs/link/vxlan-tx-csum-offload.ts";
import { bridgeNfOffSign } from "./signs/netfilter/bridge-nf-off.ts";
import { dropCounted, forwardPolicyShown } from "./signs/netfilter/drop-counted.ts";
import { dropCountedUnreached } from "./signs/netfilter/drop-counted-unreached.ts";
import { dropLogged } from "./signs/netfilter/drop-logged.ts";
import { leftUntranslated } from "./signs/netfilter/left-untranslated.ts";
import { legacyNftConflict } from "./signs/netfilter/legacy-nft-conflict.ts";
import { masqMissingRemoteEndpoint } from "./signs/netfilter/masq-missing-remote-endpoint.ts";
import { datapathNotModelled, ruleUnknown } from "./signs/netfilter/not-understood.ts";
import { policyLogged } from "./signs/netfilter/policy-logged.ts";
import { uniqueLocalOutside } from "./signs/netfilter/unique-local-outside.ts";
import { answerByOtherCard } from "./signs/routing/answer-by-other-card.ts";
import { answerLost } from "./signs/routing/answer-lost.ts";
import { asymmetric } from "./signs/routing/asymmetric.ts";
import { cidrOverlap } from "./signs/routing/cidr-overlap.ts";
import { divertedSource } from "./signs/routing/diverted-source.ts";
import { martianLogged } from "./signs/routing/martian-logged.ts";
import { routeOnlyElsewhere } from "./signs/routing/route-only-elsewhere.ts";
import { underlayFilter } from "./signs/routing/underlay-filter.ts";
import { wrongUnderlayInterface } from "./signs/routing/wrong-underlay-interface.ts";
import { ipFamilyMismatch } from "./signs/service/ip-family-mismatch.ts";
import { ipvsConnReuse } from "./signs/service/ipvs-conn-reuse.ts";
import { kubeIpvs0Shared } from "./signs/service/kube-ipvs0-addr-conflict.ts";
import { kubeProxyDrift } from "./signs/service/kube-proxy-drift.ts";
import { lbLoopbackSign } from "./signs/service/lb-loopback.ts";
import { noEndpointsObjects } from "./signs/service/no-endpoints.ts";
import { nodeportAddressesConfigured } from "./signs/service/nodeport-addresses.ts";
import { nodeportPortTaken } from "./signs/service/nodeport-port-taken.ts";
import { refusedByVirtualAddress } from "./signs/service/refused-by-virtual-address.ts";
import { portNotInService, serviceNotProgrammedHere } from "./signs/service/service-port.ts";

/** Every cause that a walk can show. */
export const CAUSES: readonly Cause[] = [
  discovery,
  ipv6Disabled,
  linkLocalWithoutZone,
  raIgnored,
  srcSelectionIpv6,
  nat66Missing,
  pmtuFiltered,
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
  routeLocalnet,
  l2Path,
  tunnelFaults,
  plainCauses,
];

/** Causes that only what was seen, or an object, can show. */
export const SIGNS: readonly Sign[] = [
  portNotInService,
  serviceNotProgrammedHere,
  kubeProxyDrift,
  dropLogged,
  policyLogged,
  martianLogged,
  answerByOtherCard,
  bridgeNfOffSign,
  conntrackInvalidRst,
  lbLoopbackSign,
  uniqueLocalOutside,
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
  fixedNeighbour,
  routeOnlyElsewhere,
  noEndpointsObjects,
  ipFamilyMismatch,
  legacyNftConflict,
  cidrOverlap,
  kubeIpvs0Shared,
  mtuBlackhole,
  masqMissingRemoteEndpoint,
  dnsRace,
  conntrackStaleUdpShown,
  leftUntranslated,
  dropCounted,
  dropCountedUnreached,
  forwardPolicyShown,
  datapathNotModelled,
  ruleUnknown,
];
