import type { World } from "../model/index.ts";
import { lookup } from "../model/lookup.ts";
import { PROTO, parseAddress } from "../net/index.ts";
import type { Question, QuestionSpec } from "../trace/index.ts";

const PROTOCOLS: Readonly<Record<string, number>> = lookup({
  tcp: PROTO.tcp,
  udp: PROTO.udp,
  sctp: PROTO.sctp,
  icmp: PROTO.icmp,
});

/**
 * What was asked, as far as objects and captures can be held against it, where the walk cannot: IPv6 for now. The client is only
 * a name.
 */
export function unwalkedQuestion(world: World, { from, to, proto, size }: QuestionSpec): Question | undefined {
  const [, bracketed, plain, port] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([^[\]:]+|[0-9a-fA-F:.]*::[0-9a-fA-F:.]*))(?::(\d{1,5}))?$/.exec(to ?? "") ?? [];
  const address = parseAddress(bracketed ?? plain ?? "");
  const named = to === undefined ? undefined : serviceAddress(world, to);
  const target = address === undefined ? named : { to: address, port: Number(port ?? 0) };
  if (target === undefined) return undefined;
  return { client: from ?? "", ...target, protocol: PROTOCOLS[proto ?? "tcp"] ?? PROTO.tcp, size: size ?? 0 };
}

function serviceAddress(world: World, to: string): Pick<Question, "to" | "port"> | undefined {
  const [, namespace, name, port] = /^svc\/([^/:]+)\/([^/:]+)(?::(.+))?$/.exec(to) ?? [];
  const service = world.kubernetes.services.find((s) => s.namespace === namespace && s.name === name);
  const [address] = service?.clusterIps ?? [];
  const found = service?.ports.find((p) => port === undefined || p.name === port || String(p.port) === port);
  return address === undefined || found === undefined ? undefined : { to: address, port: found.port };
}
