import type { Packet, RealServer, VirtualService } from "../model/index.ts";
import { contains, formatAddress, sameAddress } from "../net/index.ts";
import type { Kernel } from "./kernel.ts";
import { portInRange } from "./ports.ts";
import type { Skb } from "./skb.ts";

/** Follows ip_vs_service_find() (ip_vs_ctl.c): firewall mark first, then the address and port, then port 0. */
export function findService(kernel: Kernel, skb: Skb): VirtualService | undefined {
  const { services } = kernel.stack.ipvs;
  const { packet } = skb;
  if (skb.mark !== 0) {
    const byMark = services.find((s) => s.key.kind === "fwmark" && s.key.mark === skb.mark && s.key.family === 4);
    if (byMark !== undefined) return byMark;
  }
  const here = services.filter(
    (s) => s.key.kind === "address" && s.key.protocol === packet.protocol && sameAddress(s.key.address, packet.dst),
  );
  const at = (port: number) => here.find((s) => s.key.kind === "address" && s.key.port === port);
  const exact = here.find((s) => {
    if (s.key.kind !== "address" || s.key.port === 0) return false;
    return portInRange(kernel, packet.dport, { from: s.key.port, to: s.key.port });
  });
  return exact ?? at(0);
}

/**
 * Which real server gets a new connection: any with a weight above 0. What a scheduler will pick next is not in a
 * dump, so each is a branch; weighted schedulers give shares by weight. Undefined: none can take it.
 */
export function schedule(kernel: Kernel, service: VirtualService, packet: Packet): RealServer | undefined {
  const sticky = templateFor(kernel, service, packet);
  if (sticky !== undefined) return sticky;
  const able = service.realServers.filter((s) => s.weight > 0);
  if (able.length <= 1) return able[0];
  const weighted = /^(w|sh|dh|mh|sed|nq|lblc|ovf)/.test(service.scheduler) || service.scheduler === "fo";
  const weights = able.map((s) => (weighted ? s.weight : 1));
  if (service.scheduler === "fo") return able.reduce((a, b) => (b.weight > a.weight ? b : a));
  const total = weights.reduce((a, b) => a + b, 0);
  const options = able.map((s, i) => ({ label: `${formatAddress(s.address)}:${s.port}`, share: weights[i]! / total }));
  const name = service.key.kind === "address" ? formatAddress(service.key.address) : `fwmark ${service.key.mark}`;
  return able[kernel.oracle.chance(`${kernel.name}/ipvs/${name}`, options)];
}

/** ip_vs_sched_persist(): a template (client port 0) of an earlier connection sends the client to the same server. */
function templateFor(kernel: Kernel, service: VirtualService, packet: Packet): RealServer | undefined {
  if (service.persistence === undefined) return undefined;
  const { key } = service;
  const length = service.persistenceMask ?? 32;
  const template = kernel.stack.ipvs.connections.find(
    (c) =>
      c.clientPort === 0 &&
      contains({ address: c.client, length }, packet.src) &&
      (key.kind === "address"
        ? sameAddress(c.virtual, key.address) && (c.virtualPort === 0 || c.virtualPort === key.port)
        : false),
  );
  if (template === undefined) return undefined;
  // ip_vs_check_template(): a server that is gone invalidates it; one of weight 0 does only with expire_quiescent_template.
  const server = service.realServers.find((s) => sameAddress(s.address, template.real) && s.port === template.realPort);
  if (server === undefined) return undefined;
  if (server.weight > 0) return server;
  const expire = kernel.stack.sysctls.get("net.ipv4.vs.expire_quiescent_template");
  return expire?.value === "1" ? undefined : server;
}
