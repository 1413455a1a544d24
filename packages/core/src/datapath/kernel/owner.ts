import type { PortRange } from "../../net/index.ts";
import type { Kernel } from "./kernel.ts";

/** The number of a socket's owner; `unknown`: a server's, and nobody showed who runs it (`ss -e`). */
export type OwnerId = number | "unknown";

/** Whether a server that nobody showed the owner of belongs to somebody in the range: it is taken for root's, and the answer rests on that. */
export function ownerFits({ name: stack, oracle }: Kernel, { from, to }: PortRange): boolean {
  const rootFits = from <= 0 && to >= 0;
  return oracle.rests({ kind: "owner", stack }) ? rootFits : !rootFits;
}

/** The client runs as root unless said otherwise. */
export function assumeRoot({ name: stack, oracle }: Kernel, what: "uid" | "gid"): number {
  oracle.assume({ kind: "owner", stack, what }, "0", { kind: "owner", stack, what });
  return 0;
}
