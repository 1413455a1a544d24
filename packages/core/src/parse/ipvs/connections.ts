import type { IpvsConnection } from "../../model/index.ts";
import { type Address, ipv4Of, parseIpv6 } from "../../net/index.ts";
import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { isEllipsis } from "../ellipsis.ts";
import { originAt, type Source } from "../source.ts";
import { parseEndpoint } from "./endpoint.ts";
import { PROTOCOLS } from "./vocabulary.ts";

type Connection = Omit<IpvsConnection, "origin">;

/** `IP` is the protocol of a persistence template that covers all ports of a mark. */
const protocolOf = (label: string): number | undefined => (label === "IP" ? 0 : PROTOCOLS.get(label));

/** `TCP 14:58  ESTABLISHED 10.0.0.1:40000     10.96.0.1:443      10.244.0.2:6443`. */
function parseLine(line: string): Connection | undefined {
  const words = line.trim().split(/\s+/, 9);
  const [label = "", expires = "", state = "", source = "", virtual = "", real = ""] = words;
  const protocol = protocolOf(label);
  const ends = [source, virtual, real].map(parseEndpoint);
  const [client, service, server] = ends;
  if (protocol === undefined || !/^\d{1,6}(?::\d\d)?$/.test(expires) || !/^[A-Z_0-9]{1,16}$/.test(state))
    return undefined;
  if (client === undefined || service === undefined || server === undefined) return undefined;
  return {
    protocol,
    expires,
    state,
    client: client.address,
    clientPort: client.port,
    virtual: service.address,
    virtualPort: service.port,
    real: server.address,
    realPort: server.port,
  };
}

const hexAddress = (text: string): Address | undefined =>
  /^[0-9A-F]{8}$/.test(text) ? ipv4Of(Number.parseInt(text, 16)) : parseIpv6(text);

/** `TCP 0A600001 EAE0 0A600001 01BB C0A8010A 192B SYN_RECV  57`: /proc/net/ip_vs_conn. */
function parseProcLine(line: string): Connection | undefined {
  const [label = "", ...rest] = line.trim().split(/\s+/, 12);
  const [from = "", fromPort = "", to = "", toPort = "", dest = "", destPort = "", state = "", expires = ""] = rest;
  const protocol = protocolOf(label);
  const [client, virtual, real] = [from, to, dest].map(hexAddress);
  const ports = [fromPort, toPort, destPort];
  if (protocol === undefined || client === undefined || virtual === undefined || real === undefined) return undefined;
  if (!ports.every((p) => /^[0-9A-F]{4}$/.test(p)) || !/^\d{1,10}$/.test(expires)) return undefined;
  const [clientPort, virtualPort, realPort] = ports.map((p) => Number.parseInt(p, 16)) as [number, number, number];
  return { protocol, expires, state, client, clientPort, virtual, virtualPort, real, realPort };
}

const HEADING = /^(?:IPVS connection entries|pro expire state\s|pro state expire\s|Pro FromIP\s)/;

const reader =
  (parse: (line: string) => Connection | undefined, command: (words: readonly string[]) => boolean) =>
  (source: Source, context: DumpContext): Reading => {
    const diagnostics: Diagnostic[] = [];
    const connections: IpvsConnection[] = [];
    let headed = false;
    let cut = context.partial !== undefined;
    for (const [index, line] of source.lines.entries()) {
      const text = line.trim();
      if (text === "") continue;
      if (HEADING.test(text)) {
        headed = true;
        continue;
      }
      if (isEllipsis(text)) {
        cut = true;
        continue;
      }
      const connection = parse(line);
      if (connection !== undefined) connections.push({ ...connection, origin: originAt(source, index) });
      else {
        cut = true;
        const message = "not a connection of IPVS with numeric addresses";
        diagnostics.push(diagnose(source, index, 0, "ipvs-bad-connection", message, { length: line.length }));
      }
    }
    const all = headed || (context.command !== undefined && command(context.command));
    return {
      facts: [{ kind: "ipvs-connections", connections, extent: all && !cut ? "whole" : "partial" }],
      diagnostics,
      counts: { connections: connections.length },
    };
  };

export const readConnections = reader(parseLine, (words) => words[0]?.endsWith("ipvsadm") ?? false);
export const readProcConnections = reader(parseProcLine, (words) => words.includes("/proc/net/ip_vs_conn"));
