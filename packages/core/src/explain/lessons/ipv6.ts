import type { CauseCode } from "../code.ts";
import type { Lesson } from "./lesson.ts";

export const ipv6Lessons = {
  NEIGHBOUR_DISCOVERY_FILTERED: {
    room: "ipv6",
    kernel: ["ndisc_rcv()", "ip6t_do_table()", "nft_do_chain()"],
    see: ["ip -6 neigh", "ip6tables-save -c", "tcpdump -ni DEVICE icmp6"],
    picture: "neighbours",
    surest: "proven",
  },
  PMTU_FILTERED: {
    room: "ipv6",
    kernel: ["ip6_forward()", "icmpv6_rcv()", "ip6t_do_table()"],
    see: ["ip6tables-save -c", "tcpdump -ni DEVICE 'icmp6 and ip6[40] == 2'", "ip -6 route get ADDRESS"],
    picture: "mtu",
    surest: "proven",
  },
  DAD_FAILED: {
    room: "ipv6",
    kernel: ["addrconf_dad_failure()", "addrconf_dad_work()"],
    see: ["ip -6 addr", "dmesg | grep duplicate"],
    picture: "neighbours",
    surest: "inferred",
  },
  NDP_PROXY_MISSING: {
    room: "ipv6",
    kernel: ["ndisc_recv_ns()", "pneigh_lookup()"],
    see: ["ip -6 neigh show proxy", "sysctl net.ipv6.conf.DEVICE.proxy_ndp", "ip -6 route get ADDRESS"],
    picture: "neighbours",
    surest: "proven",
  },
  IPV6_DISABLED: {
    room: "ipv6",
    kernel: ["ip6_rcv_core()"],
    see: ["sysctl net.ipv6.conf.all.disable_ipv6 net.ipv6.conf.DEVICE.disable_ipv6", "ip -6 addr"],
    picture: "route",
    surest: "proven",
  },
  LINK_LOCAL_WITHOUT_ZONE: {
    room: "ipv6",
    kernel: ["tcp_v6_connect()"],
    see: ["ip -6 addr", "ip -6 route show table all"],
    picture: "route",
    surest: "inferred",
  },
  RA_IGNORED_FORWARDING: {
    room: "ipv6",
    kernel: ["ipv6_accept_ra()", "ndisc_router_discovery()"],
    see: ["sysctl net.ipv6.conf.DEVICE.accept_ra net.ipv6.conf.DEVICE.forwarding", "ip -6 route show default"],
    picture: "route",
    surest: "inferred",
  },
  SRC_SELECTION_IPV6: {
    room: "ipv6",
    kernel: ["ipv6_dev_get_saddr()", "ipv6_get_saddr_eval()"],
    see: ["ip -6 route get ADDRESS", "ip -6 addr", "ip addrlabel"],
    picture: "wrong-source",
    surest: "proven",
  },
} as const satisfies Partial<Record<CauseCode, Lesson>>;
