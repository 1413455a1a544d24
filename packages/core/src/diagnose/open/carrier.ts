import { partOf } from "../../evidence/index.ts";
import { type ClaimedCause, explain, type Look } from "../../explain/index.ts";
import { text } from "../../messages/index.ts";
import { isHostName, type ObservedIp, type ObservedPacket } from "../../model/index.ts";
import { formatAddress, PROTO } from "../../net/index.ts";
import { judge } from "../../trace/index.ts";
import type { Askable } from "../askable.ts";
import { BadRequest } from "../bad-request.ts";

/** The tunnel's packet that carries the asked request, as it was captured. */
function carrierOf({ observations, flow }: Look): (ObservedPacket & { readonly ip: ObservedIp }) | undefined {
  for (const packet of observations.packets) {
    const { ip } = packet;
    const inner = ip?.inner?.ip;
    if (ip?.tunnel === undefined || inner === undefined || ip.protocol !== PROTO.udp) continue;
    const part = partOf(flow, inner);
    if (part?.way === "request" && part.own) return { ...packet, ip };
  }
  return undefined;
}

/**
 * The asked request was captured inside a tunnel: the packet around it is asked for as a flow of its own, since a host's firewall drops it before anybody
 * unwraps it. Only what netfilter drops counts: the kernel's end of a tunnel is in no list of sockets.
 */
export function carrierCauses(askable: Askable, look: Look | undefined): readonly ClaimedCause[] {
  const carrier = look === undefined ? undefined : carrierOf(look);
  if (look === undefined || carrier === undefined) return [];
  const { src, dst, dport } = carrier.ip;
  if (isHostName(src) || isHostName(dst) || typeof dport !== "number") return [];
  const asked = { from: formatAddress(src), to: `${formatAddress(dst)}:${dport}`, proto: "udp" };
  try {
    const { question, exploration } = askable.ask(asked);
    if (question === undefined) return [];
    const lost = look.testimonies.some((t) => t.kind === "loss");
    return explain(question, exploration, judge(exploration), lost ? "inferred" : "possible")
      .filter((c) => c.drop === "NETFILTER_DROP" && c.direction === "request")
      .map(({ without: _, ...c }) => ({
        ...c,
        root: true,
        summary: text("cause.carrier", { from: asked.from, to: asked.to, what: c.summary }),
        evidence: [...c.evidence, carrier.origin],
      }));
  } catch (problem) {
    if (problem instanceof BadRequest) return [];
    throw problem;
  }
}
