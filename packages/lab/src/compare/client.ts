import { PROTO } from "@hairpin/core/net/index.ts";
import type { Branch, ClientSees } from "@hairpin/core/trace/index.ts";
import type { ClientResult } from "../observation.ts";

/** What the process was told, in the words of a diagnosis. */
export function clientSees(r: ClientResult, protocol: number): ClientSees | undefined {
  const tcp = protocol === PROTO.tcp;
  if (r.outcome === "connected") return tcp && r.echoed === 0 ? "stalled" : "connected";
  if (r.outcome === "timeout") return tcp && (r.phase === "data" || r.phase === "receive") ? "stalled" : "timeout";
  if (r.outcome === "icmp") return isPortUnreachable(r, protocol) ? "refused" : "unreachable";
  switch (r.errno) {
    case "ECONNREFUSED":
      return "refused";
    case "ECONNRESET":
      return "reset";
    case "ETIMEDOUT":
      return "timeout";
    case undefined:
      return undefined;
    default:
      return "unreachable";
  }
}

const isPortUnreachable = ({ icmp }: ClientResult, protocol: number): boolean =>
  protocol === PROTO.icmp6 ? icmp?.type === 1 && icmp.code === 4 : icmp?.type === 3 && icmp.code === 3;

export function compareClient(branch: Branch, r: ClientResult | undefined, protocol: number): readonly string[] {
  const sees = r === undefined ? undefined : clientSees(r, protocol);
  if (r === undefined || sees === undefined) return [];
  if (branch.clientSees !== sees) {
    const known = r.errno === undefined ? sees : `${sees} (${r.errno})`;
    return [`the client sees ${known}, the walk says ${branch.clientSees ?? "undetermined"}`];
  }
  if ((r.errno ?? null) === branch.errno) return [];
  return [`the client gets ${r.errno ?? "no errno"}, the walk says ${branch.errno ?? "none"}`];
}
