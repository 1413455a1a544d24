import type { Hook, Step } from "../step.ts";

/** Where a packet ended that no rule ended: a function of the kernel, or a part of the network. */
export type KernelStep =
  | "bridge"
  | "client"
  | "conntrack confirm"
  | "dev_queue_xmit"
  | "fabric"
  | "fact"
  | "icmp_echo"
  | "input routing"
  | "ip6_forward"
  | "ip6_output"
  | "ip_defrag"
  | "ip_finish_output"
  | "ip_forward"
  | "ip_rcv"
  | "ip_tunnel_rcv"
  | "ip_tunnel_xmit"
  | "ip6_tnl_xmit"
  | "ip6_tnl_rcv"
  | "ipv6_rcv"
  | "ipvs"
  | "ipvs reply"
  | "link"
  | "load balancer"
  | "masquerade"
  | "neighbour"
  | "output routing"
  | "question"
  | "receive"
  | "redirect"
  | "route"
  | "socket"
  | "source validation"
  | "transmit"
  | "tunnel"
  | "vxlan"
  | "walk";

/** A table, and its hook or chain: `filter FORWARD`, `inet filter input`. */
export type TablePlace = `${string} ${string}`;

export type StepName = KernelStep | TablePlace | Hook | Step["kind"];
