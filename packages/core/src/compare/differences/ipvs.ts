import type { RealServer, Stack, VirtualService } from "../../model/index.ts";
import { formatAddress, hostPrefix, protocolName } from "../../net/index.ts";
import type { Element, NotShown } from "../element.ts";
import type { Hint } from "../hint.ts";
import { ownAddresses } from "../side.ts";

/** Virtual services by address; real servers in no order. Connection counts and statistics are no difference. */
export function differingIpvs(a: Stack, b: Stack, sameNode: boolean, elements: Element[], notShown: NotShown[]): void {
  const keyed = (s: Stack) => new Map(s.ipvs.services.map((v) => [nameOf(v, sameNode ? undefined : s), v] as const));
  const [left, right] = [keyed(a), keyed(b)];
  for (const where of new Set([...left.keys(), ...right.keys()])) {
    const [x, y] = [left.get(where), right.get(where)];
    if (x !== undefined && y !== undefined && shapeOf(x) === shapeOf(y)) continue;
    const lacking = x === undefined ? a : b;
    if ((x === undefined || y === undefined) && lacking.ipvs.extent !== "whole") {
      notShown.push({ where, side: x === undefined ? "A" : "B" });
      continue;
    }
    const [serversA, serversB] = [serversOf(x), serversOf(y)];
    const lonelyA = x === undefined ? [] : x.realServers.filter((s) => !serversB.has(serverKey(s)));
    const lonelyB = y === undefined ? [] : y.realServers.filter((s) => !serversA.has(serverKey(s)));
    elements.push({
      kind: "virtual service",
      where,
      change: x === undefined ? "only in B" : y === undefined ? "only in A" : "changed",
      a: x === undefined ? [] : [x.origin, ...lonelyA.map((s) => s.origin)],
      b: y === undefined ? [] : [y.origin, ...lonelyB.map((s) => s.origin)],
      rules: [],
      hints: hintsOf((x ?? y)!, [...lonelyA, ...lonelyB]),
    });
  }
}

/** Node ports of two nodes are the same service, each at an address of its own. */
function nameOf({ key }: VirtualService, node: Stack | undefined): string {
  if (key.kind === "fwmark") return `FWM ${key.mark}`;
  const own = node !== undefined && ownAddresses(node).includes(key.address);
  return `${protocolName(key.protocol).toUpperCase()} ${own ? "node" : formatAddress(key.address)}:${key.port}`;
}

const serverKey = (s: RealServer): string => `${formatAddress(s.address)}:${s.port} ${s.method} ${s.weight}`;
const serversOf = (v: VirtualService | undefined): ReadonlySet<string> =>
  new Set(v === undefined ? [] : v.realServers.map(serverKey));

const shapeOf = (v: VirtualService): string =>
  [
    v.scheduler,
    [...(v.schedulerFlags ?? [])].sort().join(","),
    v.persistence ?? "",
    v.persistenceMask === undefined ? "" : formatAddress(v.persistenceMask),
    v.onePacket,
    ...[...serversOf(v)].sort(),
  ].join("\n");

function hintsOf({ key }: VirtualService, servers: readonly RealServer[]): readonly Hint[] {
  if (key.kind === "fwmark") return [{ mark: { value: key.mark, mask: 0xffffffff } }];
  const to: Hint = { dst: hostPrefix(key.address), protocol: key.protocol, dport: key.port };
  // A server that calls the service may be sent to itself.
  return [to, ...servers.slice(0, 2).map((s): Hint => ({ ...to, src: hostPrefix(s.address) }))];
}
