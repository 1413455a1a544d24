import type { Drop, Kernel, Skb } from "../../datapath/index.ts";
import type { Step } from "../../model/index.ts";
import { isIcmp, PROTO } from "../../net/index.ts";
import type { LinesMet } from "../explore/branch.ts";

/** How a leg ended. */
export type LegEnd =
  | { readonly kind: "open" }
  | { readonly kind: "delivered"; readonly kernel: Kernel; readonly skb: Skb }
  | { readonly kind: "dropped"; readonly kernel: Kernel; readonly skb: Skb; readonly drop: Drop };

/** A packet of the round trip on its whole way. */
export interface LegRecord {
  readonly id: number;
  readonly what: string;
  /** The leg this one answers, if the kernel made it in answer to a packet. */
  readonly answers?: number;
  readonly steps: Step[];
  readonly met: LinesMet | undefined;
  end: LegEnd;
}

/** What the first packet of a question is called. */
export const requestName = (protocol: number): string =>
  protocol === PROTO.tcp ? "SYN" : isIcmp(protocol) ? "echo request" : "request";
