import type { CauseCode } from "../code.ts";
import type { Lesson } from "./lesson.ts";

export const conntrackLessons = {
  CONNTRACK_STALE_UDP: {
    room: "conntrack",
    kernel: ["resolve_normal_ct()", "nf_nat_inet_fn()"],
    see: ["conntrack -L -p udp -s CLIENT", "kubectl get endpointslices -A"],
    picture: "stale-entry",
    surest: "proven",
  },
  CONNTRACK_INSERT_RACE: {
    room: "conntrack",
    kernel: ["__nf_conntrack_confirm()", "nf_ct_resolve_clash()"],
    see: ["conntrack -S"],
    picture: "race",
    surest: "inferred",
  },
  CONNTRACK_INVALID_RST: {
    room: "conntrack",
    kernel: ["nf_conntrack_tcp_packet()", "tcp_in_window()"],
    see: ["conntrack -S", "sysctl net.netfilter.nf_conntrack_tcp_be_liberal", "tcpdump -ni any host CLIENT"],
    picture: "reply-bypasses",
    surest: "inferred",
  },
  CONNTRACK_FULL: {
    room: "conntrack",
    kernel: ["__nf_conntrack_alloc()", "early_drop()"],
    see: ["sysctl net.netfilter.nf_conntrack_count net.netfilter.nf_conntrack_max", "dmesg | grep conntrack"],
    picture: "full",
    surest: "possible",
  },
  NAT_PORT_REWRITE: {
    room: "conntrack",
    kernel: ["nf_nat_alloc_null_binding()", "get_unique_tuple()"],
    see: ["conntrack -L -s CLIENT", "tcpdump -ni any host CLIENT"],
    picture: "stale-entry",
    surest: "inferred",
  },
  TCP_TW_RECYCLE_NAT: {
    room: "conntrack",
    kernel: ["tcp_conn_request()", "tcp_peer_is_proven()"],
    see: ["sysctl net.ipv4.tcp_tw_recycle", "nstat -az TcpExtPAWSPassive"],
    picture: "no-socket",
    surest: "possible",
  },
} as const satisfies Partial<Record<CauseCode, Lesson>>;
