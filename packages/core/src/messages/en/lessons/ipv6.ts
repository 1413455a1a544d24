/** What `hairpin explain` teaches of causes that only IPv6 has: `lesson.<code>.title`, `.happens`, `.see`, `.not`. */
export const lessonsIpv6 = {
  "lesson.neighbour_discovery_filtered.title": "a rule drops neighbour discovery",
  "lesson.neighbour_discovery_filtered.happens":
    "IPv6 finds its neighbours with ICMPv6, which passes ip6tables and nftables like any other packet; ARP passes nothing but chains of nft's arp family, and those of the bridge. A firewall that drops ICMPv6 as a whole drops solicitations or advertisements, the entry of the next hop fails, and no packet leaves.",
  "lesson.neighbour_discovery_filtered.see":
    "ip -6 neigh shows FAILED although the machine is there, and the counter of an ICMPv6 or default drop grows.",
  "lesson.neighbour_discovery_filtered.not": "A neighbour that nobody has: NEIGHBOUR_FAILED.",
  "lesson.pmtu_filtered.title": "a rule drops what tells of a narrow path",
  "lesson.pmtu_filtered.happens":
    "A router that cannot pass a packet on for its size says so (ICMPv6 packet too big), and the sender sends smaller ones. A firewall that drops this message leaves connections that open and then hang: small packets pass, large ones never do. IPv6 has nobody on the way who would cut them.",
  "lesson.pmtu_filtered.see":
    "The handshake is captured, full segments are sent again and again, and the counter of an ICMP or default drop grows.",
  "lesson.pmtu_filtered.not": "IPv4, and a device that drops without a word: MTU_BLACKHOLE.",
  "lesson.dad_failed.title": "duplicate address detection failed",
  "lesson.dad_failed.happens":
    "Before an IPv6 address is used, the kernel asks whether somebody has it. If somebody answers, the address stays on the device as dadfailed; it is neither used as source nor answered for. While the question is open it is tentative.",
  "lesson.dad_failed.see": "ip -6 addr prints dadfailed or tentative behind the address.",
  "lesson.dad_failed.not": "An optimistic address is used while it is checked.",
  "lesson.ndp_proxy_missing.title": "the router does not answer for an address behind it",
  "lesson.ndp_proxy_missing.happens":
    "The sender takes the address to be on its own link and solicits it there. It is behind a router, which answers for others only where proxy_ndp is on and the address is entered as a proxy.",
  "lesson.ndp_proxy_missing.see":
    "The router has a route to the address by another device, and ip -6 neigh show proxy lacks it.",
  "lesson.ndp_proxy_missing.not": "An address that no router on the link has a route to.",
  "lesson.ipv6_disabled.title": "IPv6 is disabled on a device",
  "lesson.ipv6_disabled.happens":
    "With disable_ipv6 1 the device has no IPv6 addresses and takes no IPv6 packets; what arrives is dropped at the very beginning. Setting it to 0 does not bring back addresses that were configured by hand.",
  "lesson.ipv6_disabled.see": "The sysctl of the device is 1, and ip -6 addr prints nothing for it.",
  "lesson.ipv6_disabled.not": "A device without addresses whose sysctl is 0.",
  "lesson.link_local_without_zone.title": "a link-local address without its device",
  "lesson.link_local_without_zone.happens":
    "fe80::/10 exists on every link. Without a zone (fe80::1%eth0) the kernel does not know which link is meant, and connect() fails with EINVAL.",
  "lesson.link_local_without_zone.see": "The address begins with fe80 and has no % behind it.",
  "lesson.link_local_without_zone.not": "A client that binds to a device has named the link.",
  "lesson.ra_ignored_forwarding.title": "router advertisements are ignored, because the node forwards",
  "lesson.ra_ignored_forwarding.happens":
    "A host learns its default route from router advertisements. A node that forwards counts as a router and ignores them, unless accept_ra is 2. Turning forwarding on for pods therefore takes the default route away, when its lifetime is over.",
  "lesson.ra_ignored_forwarding.see": "ip -6 route has no default, forwarding is 1 and accept_ra is 1 on the device.",
  "lesson.ra_ignored_forwarding.not": "A default route that was configured by hand is not affected.",
  "lesson.src_selection_ipv6.title": "IPv6 chooses a source that nobody routes back",
  "lesson.src_selection_ipv6.happens":
    "A device usually has several IPv6 addresses, and RFC 6724 chooses among them by scope, label and longest common prefix. The one it chooses may be of a network to which the other side has no route, while another one would work.",
  "lesson.src_selection_ipv6.see": "ip -6 route get prints the source; the other side has no route to it.",
  "lesson.src_selection_ipv6.not": "An address that the client itself binds.",
} as const;
