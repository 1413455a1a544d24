import {
  derived,
  type Extent,
  type Ipvs,
  type IpvsConnection,
  type RealServer,
  type VirtualService,
} from "../model/index.ts";
import { formatAddress } from "../net/index.ts";
import { serviceId } from "../parse/ipvs/index.ts";
import type { Dumped } from "./dumped.ts";

/** Virtual services from all listings; a listing that names schedulers and methods beats counters alone. */
export function mergeIpvs(listings: readonly Dumped<"ipvs">[], tracked: readonly Dumped<"ipvs-connections">[]): Ipvs {
  const services = new Map<string, VirtualService>();
  const whole = listings.filter((l) => l.fact.extent === "whole");
  // Once one listing is known to be complete, what another has besides it was not there at that time.
  const first = new Set(whole[0]?.fact.services.map((s) => serviceId(s.key)) ?? []);
  for (const service of listings.flatMap((l) => l.fact.services)) {
    const id = serviceId(service.key);
    const known = services.get(id);
    if (whole.length > 0 && !first.has(id)) continue;
    if (known === undefined || better(service, known)) services.set(id, service);
  }
  const connections = unique(tracked.flatMap((c) => c.fact.connections));
  const extent: Extent = listings.length === 0 ? "unread" : whole.length > 0 ? "whole" : "partial";
  const proven = extent === "whole" ? [] : provenServices(connections).filter((s) => !services.has(serviceId(s.key)));
  return { services: [...services.values(), ...proven], connections, extent };
}

const rank = (s: VirtualService): number =>
  (s.extent === "whole" ? 2 : 0) +
  (s.notShown === undefined && s.realServers.every((r) => r.notShown === undefined) ? 1 : 0);
const better = (a: VirtualService, b: VirtualService): boolean => rank(a) > rank(b);

function unique(connections: readonly IpvsConnection[]): readonly IpvsConnection[] {
  const byTuple = new Map<string, IpvsConnection>();
  for (const c of connections) {
    const ends = [c.client, c.virtual, c.real].map(formatAddress).join(" ");
    const key = `${c.protocol} ${ends} ${c.clientPort} ${c.virtualPort} ${c.realPort}`;
    if (!byTuple.has(key)) byTuple.set(key, c);
  }
  return [...byTuple.values()];
}

/** A connection proves its virtual service and one of the real servers, but neither method nor what else there is. */
function provenServices(connections: readonly IpvsConnection[]): readonly VirtualService[] {
  const services = new Map<string, { readonly service: VirtualService; readonly servers: Map<string, RealServer> }>();
  for (const c of connections) {
    if (c.virtualPort === 0 || c.realPort === 0) continue;
    const key = { kind: "address", protocol: c.protocol, address: c.virtual, port: c.virtualPort } as const;
    const origin = derived("virtual service of a connection", c.origin);
    const entry = services.get(serviceId(key)) ?? {
      service: {
        key,
        scheduler: "rr",
        onePacket: false,
        notShown: ["scheduler", "persistence", "onePacket"],
        realServers: [],
        extent: "partial",
        origin,
      },
      servers: new Map<string, RealServer>(),
    };
    const id = `${formatAddress(c.real)} ${c.realPort}`;
    const server: RealServer = {
      address: c.real,
      port: c.realPort,
      method: "masq",
      weight: 1,
      notShown: ["method", "weight"],
      origin,
    };
    if (!entry.servers.has(id)) entry.servers.set(id, server);
    services.set(serviceId(key), entry);
  }
  return [...services.values()].map(({ service, servers }) => ({ ...service, realServers: [...servers.values()] }));
}
