import { PROTO } from "@hairpin/core/net/index.ts";
import type { ObservedPacket } from "./observation.ts";

/** Neighbour discovery and group membership (MLD), and errors about them: when they are sent is the kernel's own business. */
export const isHousekeeping = ({ protocol, icmp, inner }: ObservedPacket): boolean =>
  protocol === PROTO.icmp6 &&
  icmp !== undefined &&
  ((icmp.type >= 130 && icmp.type <= 137) || icmp.type === 143 || (inner !== undefined && isHousekeeping(inner)));
