/** What would settle a cause that is not proven. */
export const checks = {
  "check.arp": "which MACs answer for the address",
  "check.paws": "whether the server rejects SYNs by their timestamps",
  "check.ipvs-connections": "whether connections to {address} are still remembered",
  "check.insert-failed": "whether insert_failed grows while connections fail",
  "check.conntrack-count": "how full the connection table is",
  "check.neighbours": "how full the neighbour table is",
  "check.vtep-macs": "the MACs of the tunnel devices, node by node",
  "check.tunnel-ends": "at which addresses the tunnels begin and end",
  "check.bridge-nf": "whether netfilter is called for bridged packets",
  "check.invalid": "whether conntrack calls packets invalid while connections are reset",
  "check.underlay": "whether {what} arrives at {node}",
  "check.checksum": "whether checksums are left to the card; switch it off with ethtool -K and try again",
  "check.far-rp-filter": "the effective rp_filter of {device} on the node of {endpoint}",
  "check.counters": "which rule of POSTROUTING counts the packets",
  "check.rp-filter": "the rp_filter of {stack}, and whether the kernel counts refused packets",
  "check.real-servers": "the real servers of {service} on the client's node",
} as const;
