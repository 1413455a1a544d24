import type { RealServer, VirtualService, VirtualServiceKey } from "@hairpin/core/model/index.ts";
import { formatIpv4, isIpv4, PROTO } from "@hairpin/core/net/index.ts";
import { formatEndpoint } from "@hairpin/core/parse/ipvs/endpoint.ts";
import { attempt, type Refusal } from "./refusal.ts";
import { nameWord, numberWord, Unspeakable } from "./words.ts";

export function serviceWords(key: VirtualServiceKey): string[] {
  if (key.kind === "fwmark") return ["-f", numberWord(key.mark), ...(key.family === 6 ? ["-6"] : [])];
  const flag = key.protocol === PROTO.tcp ? "-t" : key.protocol === PROTO.udp ? "-u" : undefined;
  if (flag === undefined && key.protocol !== PROTO.sctp) throw new Unspeakable("a service of an unknown protocol");
  return [flag ?? "--sctp-service", formatEndpoint(key)];
}

export function serverWords(server: RealServer): string[] {
  const method = { masq: "-m", local: "-g", route: "-g", tunnel: "-i", bypass: undefined, unknown: undefined }[
    server.method
  ];
  if (method === undefined) throw new Unspeakable(`a real server by ${server.method}`);
  const words = ["-r", formatEndpoint(server), method, "-w", numberWord(server.weight)];
  if (server.upperThreshold !== undefined) words.push("-x", numberWord(server.upperThreshold));
  if (server.lowerThreshold !== undefined) words.push("-y", numberWord(server.lowerThreshold));
  return words;
}

/** Input of `ipvsadm -R`. */
export function ipvsRestore(stack: string, services: readonly VirtualService[], refused: Refusal[]): string {
  const lines: string[] = [];
  for (const service of services) {
    attempt(refused, stack, "a virtual service", () => {
      const key = serviceWords(service.key);
      const words = ["-A", ...key, "-s", nameWord(service.scheduler, 16)];
      if (service.persistence !== undefined) words.push("-p", numberWord(service.persistence));
      if (service.persistenceMask !== undefined && isIpv4(service.persistenceMask)) {
        words.push("-M", formatIpv4(service.persistenceMask));
      }
      const flags = service.schedulerFlags ?? [];
      if (flags.length > 0) words.push("-b", flags.map((flag) => nameWord(flag, 32)).join(","));
      if (service.onePacket) words.push("-o");
      lines.push(words.join(" "));
      for (const server of service.realServers) {
        attempt(refused, stack, `a real server of ${key[1]}`, () => {
          lines.push(["-a", ...key, ...serverWords(server)].join(" "));
        });
      }
    });
  }
  return lines.map((text) => `${text}\n`).join("");
}
