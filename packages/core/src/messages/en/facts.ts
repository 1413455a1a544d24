/** Open facts: what is not known, said for people. */
export const facts = {
  "fact.sysctl": "the value of {key} on {stack}",
  "fact.rp-filter": "the effective rp_filter of {device} on {stack} (the larger of all and {device})",
  "fact.listen": "whether a process listens on {port} in {stack}",
  "fact.neighbour": "whether {address} answers {stack} on {device}, which was asking for it at that moment",
  "fact.address": "whether {stack} has the address {address}",
  "fact.src-dst-check":
    "whether the network drops packets whose source the interface does not own (source/destination check)",
  "fact.preserve-client": "whether the load balancer {address} preserves the client's address",
  "fact.balancer-target": "where the load balancer {address} sends the packet",
  "fact.home": "behind which device of which node {address} is",
  "fact.endpoint": "whether {address}, which was drained, still replies",
  "fact.ip-rule": "whether the ip rule at {where} on {stack} matches: it is not understood",
  "fact.rule":
    "whether the rule at {where} on {stack} matches: it is not understood, or matches on something the dumps do not show",
  "fact.beside-conntrack":
    "whether the nft chain at priority -200 of {stack} runs before or after conntrack, which has the same priority",
  "fact.datagram-source":
    "from which address the server on {port} of {stack} answers: it is bound to all of them, and leaves it to the route unless the program takes the one it was asked at",
  "fact.native-order":
    "whether two nft tables of {stack} with chains at the same priority registered them in the order of the listing (listed) or the other way round (reversed): the last one runs first",
  "fact.native-registered":
    "whether the nft chains of {stack} registered their hooks before (first) or after (last) iptables at the same priority: the last one runs first",
  "fact.registered-first": "which iptables backend of {stack} registered its hooks first: both have rules",
  "fact.masquerade": "whether {stack} masquerades this connection: its nat table is not in the dumps",
  "fact.multipath":
    "which next hop {stack} takes from {source} to {destination}: a hash with a secret seed chooses, the same one for every try of this client; others may get another",
  "fact.hairpin": "whether hairpin mode is on at bridge port {port} of {stack}",
  "fact.other": "{id}",
  "fact.set": "whether {entry} is in the set {set} of {stack}, which is not in the dumps",
  "fact.mode": "in which mode kube-proxy runs",
} as const;
