/** Why a walk stops without an answer. */
export const unknowns = {
  "unknown.addresses": "nobody showed all addresses of {stack}",
  "unknown.open-fact": "the World leaves {fact} open",
  "unknown.nothing-read": "nothing was read that tells of a node, so nothing can be walked",
  "unknown.ipv6": "IPv6 is not walked yet",
  "unknown.host": "nobody showed the host that has {address}",
  "unknown.queue": "QUEUE hands the packet to a program",
  "unknown.tproxy": "TPROXY hands the packet to a local transparent socket",
  "unknown.target": "target {target} is not modelled",
  "unknown.target-not-understood": "target {target} is not understood",
  "unknown.too-much-work":
    "the rules and chances lead to more work than is done for one answer; what was walked decides nothing",
  "unknown.host-not-found":
    "nobody showed who has {address}, and a host made up for it cannot be reached where it would be: the dumps contradict each other",
  "unknown.no-chain": "chain {chain} does not exist",
  "unknown.nftables": "native nftables rules are loaded and not modelled yet (table {table})",
  "unknown.vrf-device": "VRF devices are not modelled",
  "unknown.vrf": "VRF routing (l3mdev) is not modelled",
  "unknown.rule-action": "routing rule with an action that is not understood: {action}",
  "unknown.table": "routing table {table} was not shown (ip route show table {table})",
  "unknown.route-device": "the route's device {device} is in no device list",
  "unknown.program": "{device} runs {program}, which is not modelled",
  "unknown.ipvlan": "{device} is an ipvlan device in {mode} mode, which is not modelled",
  "unknown.device": "{device} is a {kind} device, which is not modelled",
  "unknown.ipvs-method": "forwarding method {method} is not modelled",
  "unknown.real-servers": "the real servers of this virtual service were not all shown",
} as const;
