import type { ForwardMethod, RealServer, VirtualService, VirtualServiceKey } from "../../model/index.ts";
import { formatIpv4, isIpv4, lengthOfMask, PROTO } from "../../net/index.ts";
import { formatEndpoint } from "./endpoint.ts";
import { methodLabel, protocolLabel } from "./vocabulary.ts";

const SERVICE_OPTIONS: Readonly<Record<number, string>> = {
  [PROTO.tcp]: "-t",
  [PROTO.udp]: "-u",
  [PROTO.sctp]: "--sctp-service",
};
const METHOD_OPTIONS: Readonly<Record<ForwardMethod, string>> = {
  masq: "-m",
  tunnel: "-i",
  route: "-g",
  local: "-g",
  bypass: "-g",
  unknown: "-g",
};

/** Marks are printed as signed numbers. */
const optionOf = (key: VirtualServiceKey): string =>
  key.kind === "fwmark"
    ? `-f ${key.mark | 0}${key.family === 6 ? " -6" : ""}`
    : `${SERVICE_OPTIONS[key.protocol] ?? "-t"} ${formatEndpoint(key)}`;

const maskText = (service: VirtualService): string | undefined => {
  const { persistenceMask: mask } = service;
  if (mask === undefined) return undefined;
  return isIpv4(mask) ? formatIpv4(mask) : String(lengthOfMask(mask));
};

/** As `ipvsadm -Sn` (1.31) prints it. Thresholds are not in it. */
export function printSave(services: readonly VirtualService[]): string {
  const lines: string[] = [];
  for (const service of services) {
    const name = optionOf(service.key);
    const words = [`-A ${name} -s ${service.scheduler}`];
    if (service.persistence !== undefined) {
      words.push(`-p ${service.persistence}`);
      const mask = maskText(service);
      if (mask !== undefined) words.push(`-M ${mask}`);
      if (service.persistenceEngine !== undefined) words.push(`--pe ${service.persistenceEngine}`);
    }
    if (service.onePacket) words.push("-o");
    if (service.schedulerFlags !== undefined) words.push(`-b ${service.schedulerFlags.join(",")}`);
    lines.push(words.join(" "));
    for (const server of service.realServers) lines.push(`-a ${name} ${serverOptions(server)}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}

function serverOptions(server: RealServer): string {
  const words = [`-r ${formatEndpoint(server)} ${METHOD_OPTIONS[server.method]} -w ${server.weight}`];
  const { tunnel } = server;
  if (tunnel !== undefined) {
    words.push(`--tun-type ${tunnel.type}`);
    if (tunnel.port !== undefined) words.push(`--tun-port ${tunnel.port}`);
    if (tunnel.checksum !== undefined) words.push(`--tun-${tunnel.checksum}`);
  }
  return words.join(" ");
}

const HEADINGS = `Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
`;

/** As `ipvsadm -ln` prints it; with `size` (of the connection table) the banner too, which a listing of one service lacks. */
export function printListing(services: readonly VirtualService[], size?: number): string {
  const lines = services.flatMap((s) => [serviceLine(s), ...s.realServers.map(serverLine)]);
  const banner = size === undefined ? "" : `IP Virtual Server version 1.2.1 (size=${size})\n`;
  return banner + HEADINGS + lines.map((line) => `${line}\n`).join("");
}

function serviceLine(service: VirtualService): string {
  const { key } = service;
  const name =
    key.kind === "fwmark"
      ? `FWM  ${key.mark | 0}${key.family === 6 ? " IPv6" : ""}`
      : `${protocolLabel(key.protocol).padEnd(4)} ${formatEndpoint(key)}`;
  const words = [name, service.scheduler];
  if (service.schedulerFlags !== undefined) words.push(`(${service.schedulerFlags.join(",")})`);
  if (service.persistence !== undefined) {
    words.push(`persistent ${service.persistence}`);
    const mask = maskText(service);
    if (mask !== undefined) words.push(`mask ${mask}`);
    if (service.persistenceEngine !== undefined) words.push(`pe ${service.persistenceEngine}`);
  }
  if (service.onePacket) words.push("ops");
  if (service.unknown !== undefined) words.push(service.unknown);
  return words.join(" ");
}

const serverLine = (server: RealServer): string =>
  [
    "  ->",
    formatEndpoint(server).padEnd(28),
    methodLabel(server.method).padEnd(7),
    String(server.weight).padEnd(6),
    String(server.activeConnections ?? 0).padEnd(10),
    String(server.inactiveConnections ?? 0).padEnd(10),
  ].join(" ");
