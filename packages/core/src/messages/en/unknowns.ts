/** Why a walk stops without an answer. */
export const unknowns = {
  "unknown.addresses": "nobody showed all addresses of {stack}",
  "unknown.open-fact": "{fact} is not known",
  "unknown.nothing-read": "no dump of a node was recognised, so there is nothing to trace",
  "unknown.host": "the host that has {address} is not in the dumps",
  "unknown.queue": "QUEUE passes the packet to a userspace program",
  "unknown.tproxy": "TPROXY passes the packet to a local transparent socket",
  "unknown.udp-checksum":
    "NAT changed a packet of the tunnel {device}: with a UDP checksum (ip -d link show: udpcsum) it no longer fits and the receiver drops all but ping, without (noudpcsum) it passes",
  "unknown.fragments6": "the sender cuts this IPv6 datagram, and what becomes of its fragments is not modelled",
  "unknown.target": "target {target} is not modelled",
  "unknown.target-not-understood": "target {target} is not understood",
  "unknown.too-much-work":
    "the rules and random choices need more work than is done for one answer; what was traced so far decides nothing",
  "unknown.host-not-found":
    "the dumps do not show who has {address}, and a host assumed for it is not reachable where it would be: the dumps contradict each other",
  "unknown.no-chain": "chain {chain} does not exist",
  "unknown.nftables": "native nftables rules are loaded and not modelled yet (table {table})",
  "unknown.neighbour":
    "the permanent neighbour entry of {address} has the MAC {mac}, which is not that of the host with this address: who has it was not shown",
  "unknown.bridge-vlans":
    "bridge {bridge} may filter by VLAN: ip -d link show {bridge} says whether, and bridge vlan show by which",
  "unknown.encapsulation": "the route wraps packets (encap {encapsulation}), which is not modelled",
  "unknown.vrf-device": "VRF devices are not modelled",
  "unknown.vrf": "VRF routing (l3mdev) is not modelled",
  "unknown.rule-action": "ip rule with an action that is not understood: {action}",
  "unknown.table": "routing table {table} is not in the dumps (ip route show table {table})",
  "unknown.route-device": "the route's device {device} is in no device list",
  "unknown.program": "{device} runs {program}, which is not modelled",
  "unknown.socket-program":
    "programs of {owner} may translate {address}:{port} while the socket connects, which is not modelled",
  "unknown.ipvlan": "{device} is an ipvlan device in {mode} mode, which is not modelled",
  "unknown.device": "{device} is a {kind} device, which is not modelled",
  "unknown.ipvs-method": "forwarding method {method} is not modelled",
  "unknown.real-servers": "the real servers of this virtual service are incomplete in the dumps",
} as const;
