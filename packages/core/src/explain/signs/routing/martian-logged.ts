import { partOf } from "../../../evidence/index.ts";
import { text } from "../../../messages/index.ts";
import { formatAddress } from "../../../net/index.ts";
import type { ClaimedCause } from "../../cause.ts";
import type { Sign } from "../../sign.ts";
import { suspect } from "../claim.ts";

/**
 * The kernel logged a packet of the asked flow as martian: source validation refused it there, whatever of routes and settings was shown. Its source is
 * the node's own address (MARTIAN_LOCAL_SOURCE), else its way back is another one (RP_FILTER_STRICT).
 */
export const martianLogged: Sign = {
  codes: ["RP_FILTER_STRICT", "MARTIAN_LOCAL_SOURCE"],
  detect: ({ flow, observations, world }) => {
    const claims = observations.martians.flatMap((m): ClaimedCause[] => {
      const part = m.kind === "source" ? partOf(flow, { src: m.src, dst: m.dst }) : undefined;
      if (part === undefined || !part.own) return [];
      const stack = m.place.stack ?? m.place.node;
      const own = world.stacks.some(
        (s) => s.name === stack && s.devices.items.some((d) => d.addresses.some((a) => a.prefix.address === m.src)),
      );
      const words = { stack, src: formatAddress(m.src), dst: formatAddress(m.dst), device: m.device };
      return [
        suspect({
          code: own ? "MARTIAN_LOCAL_SOURCE" : "RP_FILTER_STRICT",
          stack,
          certainty: "inferred",
          direction: part.way,
          summary: text(own ? "cause.martian_local_source.logged" : "cause.rp_filter_strict.logged", words),
          evidence: [m.origin],
          step: "source validation",
          check: {
            text: text("check.rp-filter", { stack }),
            command: "sysctl -a -r '\\.rp_filter$'; nstat -az TcpExtIPReversePathFilter",
          },
        }),
      ];
    });
    return claims.slice(0, 1);
  },
};
