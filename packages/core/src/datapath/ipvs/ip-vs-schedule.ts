import type { RealServer, VirtualService } from "../../model/index.ts";
import { type Address, applyMask, familyOf, formatAddress, ipv4Of } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { portInRange } from "../kernel/ports.ts";
import type { Skb } from "../kernel/skb.ts";
import { sysctl } from "../kernel/sysctl.ts";
import type { IpvsTemplate } from "./ip-vs-conn.ts";
import { servicesAt, servicesMarked } from "./ip-vs-services.ts";

const FTP = 21;

/**
 * Follows ip_vs_service_find() (ip_vs_ctl.c): firewall mark first, then the address and port, then port 0, which only a
 * persistent service can have.
 */
export function findService(kernel: Kernel, skb: Skb): VirtualService | undefined {
  const { services } = kernel.stack.ipvs;
  const { packet } = skb;
  if (skb.mark !== 0) {
    const byMark = servicesMarked(services, skb.mark).find(
      (s) => s.key.kind === "fwmark" && s.key.family === familyOf(packet.dst),
    );
    if (byMark !== undefined) return byMark;
  }
  const here = servicesAt(services, packet.dst).filter(
    (s) => s.key.kind === "address" && s.key.protocol === packet.protocol,
  );
  const at = (port: number) => here.find((s) => s.key.kind === "address" && s.key.port === port);
  const exact = here.find((s) => {
    if (s.key.kind !== "address" || s.key.port === 0) return false;
    return portInRange(kernel, packet.dport, { from: s.key.port, to: s.key.port });
  });
  return exact ?? at(0);
}

export interface Scheduled {
  readonly server: RealServer;
  /** A persistence template stands behind it. */
  readonly controlled: boolean;
}

/** Follows ip_vs_schedule(): which real server gets a new connection. Undefined: none can take it. */
export function schedule(kernel: Kernel, service: VirtualService, skb: Skb): Scheduled | undefined {
  if (service.persistence !== undefined) return persistent(kernel, service, skb);
  // Port 0 serves persistent services only.
  if (service.key.kind === "address" && service.key.port === 0) return undefined;
  const server = pick(kernel, service);
  return server === undefined ? undefined : { server, controlled: false };
}

/**
 * What a scheduler will pick next is not in a dump, so each server with a weight above 0 is a branch; weighted schedulers give
 * shares by weight. `sh` and `dh` hash over all servers, and one of weight 0 that is hit takes nobody.
 */
function pick(kernel: Kernel, service: VirtualService): RealServer | undefined {
  const { scheduler } = service;
  const hashes = scheduler === "sh" || scheduler === "dh";
  const fallback = service.schedulerFlags?.some((f) => f === "sh-fallback" || f === "flag-1") === true;
  const able = service.realServers.filter((s) => s.weight > 0);
  if (able.length === 0) return undefined;
  if (scheduler === "fo") return able.reduce((a, b) => (b.weight > a.weight ? b : a));
  const candidates = hashes && !fallback ? service.realServers : able;
  if (candidates.length === 1) return candidates[0];
  const weighted = /^(w|sh|mh|sed|nq|lblc|ovf)/.test(scheduler);
  const weights = candidates.map((s) => (weighted ? Math.max(1, s.weight) : 1));
  const total = weights.reduce((a, b) => a + b, 0);
  const options = candidates.map((s, i) => ({
    label: `${formatAddress(s.address)}:${s.port}`,
    share: weights[i]! / total,
  }));
  const name = service.key.kind === "address" ? formatAddress(service.key.address) : `fwmark ${service.key.mark}`;
  const chosen = candidates[kernel.oracle.chance(`${kernel.name}/ipvs/${name}`, options)];
  return chosen !== undefined && chosen.weight > 0 ? chosen : undefined;
}

/** Follows ip_vs_sched_persist(): the template of an earlier connection decides, else one is made. */
function persistent(kernel: Kernel, service: VirtualService, skb: Skb): Scheduled | undefined {
  const wanted = templateKey(service, skb);
  const known = kernel.ipvsTemplates.find(
    (t) =>
      t.protocol === wanted.protocol &&
      t.client === wanted.client &&
      t.virtual === wanted.virtual &&
      t.virtualPort === wanted.virtualPort,
  );
  const kept = known === undefined ? undefined : checkTemplate(kernel, service, known);
  if (kept !== undefined) return { server: kept, controlled: true };
  const server = pick(kernel, service);
  if (server === undefined) return undefined;
  if (known !== undefined) kernel.ipvsTemplates.splice(kernel.ipvsTemplates.indexOf(known), 1);
  const realPort = wanted.virtualPort === 0 ? 0 : server.port;
  kernel.ipvsTemplates.push({ ...wanted, real: server.address, realPort });
  return { server, controlled: true };
}

function templateKey(
  service: VirtualService,
  { packet }: Skb,
): Pick<IpvsTemplate, "protocol" | "client" | "virtual" | "virtualPort"> {
  const client = masked(packet.src, service.persistenceMask);
  const { key } = service;
  if (key.kind === "fwmark") return { protocol: 0, client, virtual: ipv4Of(key.mark), virtualPort: 0 };
  const virtualPort = key.port === FTP ? 0 : key.port;
  return { protocol: packet.protocol, client, virtual: packet.dst, virtualPort };
}

const masked = (address: Address, mask: Address | undefined): Address =>
  mask === undefined ? address : applyMask(address, mask);

/** ip_vs_check_template(): a server that is gone invalidates it; one of weight 0 does only with expire_quiescent_template. */
function checkTemplate(kernel: Kernel, service: VirtualService, template: IpvsTemplate): RealServer | undefined {
  const server = service.realServers.find(
    (s) => s.address === template.real && (template.realPort === 0 || s.port === template.realPort),
  );
  if (server === undefined || server.weight > 0) return server;
  return sysctl(kernel, "net.ipv4.vs.expire_quiescent_template").value === "0" ? server : undefined;
}
