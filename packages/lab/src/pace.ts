import type { LabPlan } from "./plan.ts";

/**
 * How long the lab waits, in milliseconds. On veth pairs a packet goes all its way within the system call that sends it,
 * so what has not come after a moment will not come; only timers (neighbour discovery, retransmission) are later.
 */
export interface Pace {
  /** Without any packet for so long, what was seen is all. */
  readonly quiet: number;
  /** Without any packet for so long, a client has no answer to expect. */
  readonly patience: number;
  /** Either, while an ARP request is unanswered: the next try, or the error after the third, comes after 20 ms. */
  readonly resolve: number;
  /** At most, after a stimulus. */
  readonly limit: number;
}

export const KERNEL_PACE: Pace = { quiet: 2, patience: 20, resolve: 45, limit: 3000 };
/** An emulated processor is some 20 times slower. */
export const EMULATED_PACE: Pace = { quiet: 12, patience: 150, resolve: 120, limit: 10_000 };

/** Rules below IP, and bridges that filter by VLAN, may take ARP before a capture sees it, or an answer behind it: then nothing shows that somebody is being asked for. */
export const pacedFor = (plan: LabPlan, pace: Pace): Pace =>
  plan.stacks.some((s) => s.bridgeVlans.length > 0 || s.nft.some((t) => ["arp", "netdev", "bridge"].includes(t.family)))
    ? { ...pace, quiet: 2 * pace.resolve, patience: Math.max(pace.patience, 2 * pace.resolve) }
    : pace;
