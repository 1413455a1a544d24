import type { RealServer, VirtualService } from "../../model/index.ts";
import { append } from "../../net/append.ts";
import { formatAddress } from "../../net/index.ts";
import { printSave, serviceId } from "../../parse/ipvs/index.ts";

/** `-A …` and one `-a …` a real server, as ipvsadm -S prints them. */
const saved = (service: VirtualService): readonly string[] => printSave([service]).trimEnd().split("\n");

/** The words that name a service: `-t 10.0.0.1:80`. */
export const serviceWords = (service: VirtualService): string =>
  saved({ ...service, realServers: [] })[0]!
    .replace(/^-A /, "")
    .replace(/ -s .*$/, "");

/** `-a -t … -r … -m -w 1` for one real server of a service. */
export const serverLine = (service: VirtualService, server: RealServer): string =>
  `ipvsadm ${saved({ ...service, realServers: [server] })[1] ?? ""}`;

export const serviceLine = (service: VirtualService): string =>
  `ipvsadm ${saved({ ...service, realServers: [] })[0] ?? ""}`;

const serverId = (s: RealServer): string => `${formatAddress(s.address)} ${s.port}`;

/** Virtual services and their servers back as they were. */
export function undoIpvs(before: readonly VirtualService[], after: readonly VirtualService[]): readonly string[] {
  const was = new Map(before.map((s) => [serviceId(s.key), s]));
  const is = new Map(after.map((s) => [serviceId(s.key), s]));
  const commands: string[] = [];
  for (const [id, service] of is) if (!was.has(id)) commands.push(`ipvsadm -D ${serviceWords(service)}`);
  for (const [id, service] of was) {
    const now = is.get(id);
    if (now === undefined) {
      append(
        commands,
        saved(service).map((line) => `ipvsadm ${line}`),
      );
      continue;
    }
    if (serviceLine(now) !== serviceLine(service))
      commands.push(serviceLine(service).replace(/^ipvsadm -A/, "ipvsadm -E"));
    const had = new Map(service.realServers.map((r) => [serverId(r), r]));
    const has = new Map(now.realServers.map((r) => [serverId(r), r]));
    for (const [key, server] of has)
      if (!had.has(key))
        commands.push(
          serverLine(service, server)
            .replace(/^ipvsadm -a/, "ipvsadm -d")
            .replace(/(-r \S+) .*$/, "$1"),
        );
    for (const [key, server] of had) {
      const shown = serverLine(service, server);
      const current = has.get(key);
      if (current === undefined) commands.push(shown);
      else if (serverLine(service, current) !== shown) commands.push(shown.replace(/^ipvsadm -a/, "ipvsadm -e"));
    }
  }
  return commands;
}
