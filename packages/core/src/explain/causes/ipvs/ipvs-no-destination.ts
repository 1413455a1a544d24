import { text } from "../../../messages/index.ts";
import { EXTERNAL_SETS, type IpSet, type Packet, PROXY_SET, plainSetName } from "../../../model/index.ts";
import { familyOf, formatEndpoint } from "../../../net/index.ts";
import { type Cause, stackOf } from "../../cause.ts";

const holds = (set: IpSet | undefined, p: Packet): boolean =>
  set?.entries.some((e) => {
    const [address, port] = e.parts;
    const at = address?.kind === "address" && address.from === p.dst;
    return at && !e.nomatch && (port?.kind !== "port" || (p.dport === port.from && port.protocol === p.protocol));
  }) ?? false;

/** The virtual service has nobody to send to: refused, although ping is answered by the node itself. */
export const ipvsNoDestination: Cause = {
  codes: ["ETP_LOCAL_NO_ENDPOINT_IPVS", "NO_ENDPOINTS"],
  detect: ({ leg, world }) => {
    if (leg.drop !== "IPVS_NO_DESTINATION") return [];
    const stack = stackOf(world, leg.stack);
    const family = familyOf(leg.final.dst);
    const set = (name: string) =>
      stack?.ipsets.items.find((s) => plainSetName(s.name) === name && (s.family ?? 4) === family);
    const external = EXTERNAL_SETS.some((n) => holds(set(n), leg.final));
    const internal = holds(set(PROXY_SET.clusterIp), leg.final);
    const nodePort = stack?.devices.items.some(
      (d) => d.kind !== "dummy" && d.addresses.some((a) => a.prefix.address === leg.final.dst),
    );
    const local = (external || nodePort === true) && !internal;
    const service = formatEndpoint(leg.final.dst, String(leg.final.dport));
    return [
      {
        code: local ? "ETP_LOCAL_NO_ENDPOINT_IPVS" : "NO_ENDPOINTS",
        summary: local
          ? text("cause.etp_local_no_endpoint_ipvs", { service, stack: leg.stack })
          : text("cause.no_endpoints.ipvs", { service }),
        stack: leg.stack,
        evidence: leg.origins,
        root: true,
      },
    ];
  },
};
