import type { Origin } from "../origin.ts";

/** A function at a hook, as `nft list hooks` shows it: in the order in which the kernel runs them. */
export interface RegisteredHook {
  readonly family: "ip" | "ip6" | "inet" | "arp" | "bridge" | "netdev";
  readonly hook: string;
  readonly device?: string;
  readonly priority: number;
  /** `chain inet filter input`: whose chain it is, where the kernel says so. */
  readonly object?: {
    readonly kind: "chain" | "flowtable";
    readonly family: string;
    readonly table: string;
    readonly name: string;
  };
  /** `ipv4_conntrack_in`, `ipt_do_table` */
  readonly function?: string;
  readonly module?: string;
  readonly origin: Origin;
}

/** ipt_do_table() and its elders, one function a table: iptable_filter_hook(). */
const LEGACY = /^(?:ip6?t_do_table|ip6?table_\w+)/;

/** Whether a table of iptables-legacy stands there. */
export const isOfLegacy = (entry: RegisteredHook): boolean => LEGACY.test(entry.function ?? "");
