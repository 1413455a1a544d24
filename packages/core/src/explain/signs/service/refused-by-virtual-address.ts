import { hostText } from "../../../evidence/index.ts";
import { text } from "../../../messages/index.ts";
import { shell } from "../../../model/shell.ts";
import { formatAddress, PROTO } from "../../../net/index.ts";
import type { Look, Sign } from "../../sign.ts";
import { suspect } from "../claim.ts";

const isClusterIp = ({ world, question }: Look): boolean =>
  world.kubernetes.services.some((s) => s.clusterIps.some((a) => formatAddress(a) === formatAddress(question.to)));

/**
 * A TCP connection refused by ICMP, port unreachable, from the called address itself: no socket does that (it resets), and no
 * router (it has another address). The node has the address and IPVS has nobody to send to. Guard: the walk's own
 * word about a virtual service that was shown goes first.
 */
export const refusedByVirtualAddress: Sign = {
  codes: ["ETP_LOCAL_NO_ENDPOINT_IPVS", "NO_ENDPOINTS"],
  detect: (look) => {
    const { question, connections, exploration } = look;
    if (question.protocol !== PROTO.tcp) return [];
    if (exploration.branches.some((b) => b.request.drop === "IPVS_NO_DESTINATION")) return [];
    const address = formatAddress(question.to);
    for (const c of connections) {
      if (c.outcome !== "refused" || hostText(c.request.dst) !== address || c.request.dport !== question.port) continue;
      const error = c.sightings.find((s) => s.role === "icmp-error" && hostText(s.ip.src) === address);
      if (error === undefined) continue;
      const external = !isClusterIp(look);
      const service = `${address}:${question.port}`;
      return [
        suspect({
          code: external ? "ETP_LOCAL_NO_ENDPOINT_IPVS" : "NO_ENDPOINTS",
          stack: error.place.node,
          summary: external
            ? text("cause.etp_local_no_endpoint_ipvs.seen", { service })
            : text("cause.no_endpoints.seen", { service }),
          evidence: [error.origin],
          step: "ipvs",
          check: { text: text("check.real-servers", { service }), command: shell`ipvsadm -ln -t ${service}` },
        }),
      ];
    }
    return [];
  },
};
