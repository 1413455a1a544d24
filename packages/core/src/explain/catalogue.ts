import type { Cause } from "./cause.ts";
import { answerNotTranslated } from "./causes/answer-not-translated.ts";
import { plainCauses } from "./causes/by-drop.ts";
import { conntrackStaleUdp } from "./causes/conntrack-stale-udp.ts";
import { hairpinOff } from "./causes/hairpin-off.ts";
import { ipForwardOff } from "./causes/ip-forward-off.ts";
import { ipvsLocalhost } from "./causes/ipvs-localhost-nodeport.ts";
import { ipvsNoDestination } from "./causes/ipvs-no-destination.ts";
import { ipvsPersistenceStale } from "./causes/ipvs-persistence-stale.ts";
import { kubeIpvs0AddrConflict } from "./causes/kube-ipvs0-addr-conflict.ts";
import { lbLoopback } from "./causes/lb-loopback.ts";
import { martianLocalSource } from "./causes/martian-local-source.ts";
import { masqMissingIpvsHost } from "./causes/masq-missing-ipvs-host.ts";
import { masqTooMuch } from "./causes/masq-too-much.ts";
import { natPortRewrite } from "./causes/nat-port-rewrite.ts";
import { netfilterDrop } from "./causes/netfilter-drop.ts";
import { noRoute } from "./causes/no-route.ts";
import { policyRoutePodSource } from "./causes/policy-route-pod-source.ts";
import { rpFilterStrict } from "./causes/rp-filter-strict.ts";
import { sourceSelectionMasquerade } from "./causes/src-selection-masquerade.ts";
import { masqMissingNodeToPod, sourceSelectionMultiNic } from "./causes/src-selection-multi-nic.ts";
import { wrongPodRoute } from "./causes/wrong-pod-route.ts";
import type { Sign } from "./sign.ts";
import { answerLost } from "./signs/answer-lost.ts";
import { arpNotStrict } from "./signs/arp-not-strict.ts";
import { arpTableOverflow } from "./signs/arp-table-overflow.ts";
import { bridgeNfOffSeen } from "./signs/bridge-nf-off.ts";
import { conntrackFull } from "./signs/conntrack-full.ts";
import { conntrackInsertRace } from "./signs/conntrack-insert-race.ts";
import { conntrackInvalidRst } from "./signs/conntrack-invalid-rst.ts";
import { divertedSource } from "./signs/diverted-source.ts";
import { duplicateVtepMac } from "./signs/duplicate-vtep-mac.ts";
import { ipvsConnReuse } from "./signs/ipvs-conn-reuse.ts";
import { refusedByVirtualAddress } from "./signs/refused-by-virtual-address.ts";
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
  hairpinOff,
  answerNotTranslated,
  ipForwardOff,
  noRoute,
  natPortRewrite,
  conntrackStaleUdp,
  plainCauses,
];

/** Causes that only what was seen, or an object, can show. */
export const SIGNS: readonly Sign[] = [
  bridgeNfOffSeen,
  conntrackInvalidRst,
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
];
