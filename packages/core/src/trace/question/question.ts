import type { Address } from "../../net/index.ts";

/** A question as the walk needs it: every name resolved to a stack and addresses. */
export interface Question {
  /** The stack whose process asks. */
  readonly client: string;
  /** bind(2) to this address. */
  readonly bindAddress?: Address;
  /** SO_BINDTODEVICE. */
  readonly bindDevice?: string;
  readonly sport?: number;
  readonly to: Address;
  readonly port: number;
  readonly protocol: number;
  /** Length of the first data packet. */
  readonly size: number;
  /** Where an outside packet arrives, if the user said so. */
  readonly arrival?: { readonly stack: string; readonly device?: string };
}
