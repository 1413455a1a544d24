import { text } from "../../messages/index.ts";
import { KUBE_IPVS0, linesOf, type RealServer, type VirtualService } from "../../model/index.ts";
import { append } from "../../net/append.ts";
import { type Address, formatAddress, isLinkLocal, protocolName } from "../../net/index.ts";
import type { Actual } from "./actual.ts";
import type { Draft } from "./draft.ts";

const at = (address: Address, port: number): string => {
  const shown = formatAddress(address);
  return `${shown.includes(":") ? `[${shown}]` : shown}:${port}`;
};

export function serverName({ key }: VirtualService): string {
  return key.kind === "fwmark" ? `fwmark ${key.mark}` : `${protocolName(key.protocol)} ${at(key.address, key.port)}`;
}

export interface ExpectedServers {
  readonly servers: readonly VirtualService[];
  /** The Service a virtual server is of, by name. */
  readonly serviceOf: (server: VirtualService) => string | undefined;
  readonly isNodePort: (server: VirtualService) => boolean;
  /** Ports of NodePorts: what serves one on an address nobody showed is no leftover. */
  readonly nodePorts: ReadonlySet<number>;
  readonly complete: boolean;
}

/** Virtual servers and their real servers, in no order; statistics and connections that drain are no difference. */
export function serverDifferences(e: ExpectedServers, actual: Actual): readonly Draft[] {
  const { servers } = actual;
  if (servers === undefined) return [];
  const keyed = (list: readonly VirtualService[]) => new Map(list.map((v) => [serverName(v), v] as const));
  const [left, right] = [keyed(e.servers), keyed(servers.items)];
  const drafts: Draft[] = [];
  for (const [address, server] of left) {
    const found = right.get(address);
    const service = e.serviceOf(server);
    const base = { ...(service !== undefined && { service }), key: `server ${address}` };
    const named = service ?? address;
    if (found !== undefined) {
      append(drafts, inside(server, found, named, base));
      continue;
    }
    if (servers.extent !== "whole") continue;
    const { key } = server;
    const served = [...right.values()].some(
      (v) => v.key.kind === "address" && key.kind === "address" && v.key.port === key.port,
    );
    if (key.kind === "address" && e.isNodePort(server) && !actual.addressesWhole && !served) {
      // On which addresses it should be is not known for sure: that it is on none is.
      const port = `${protocolName(key.protocol)} port ${key.port}`;
      drafts.push({
        ...base,
        key: `server ${port}`,
        code: "NODE_PORT_MISSING",
        text: text("difference.address-missing", { service: named, address: port }),
        expected: [server.origin],
        actual: [],
      });
      continue;
    }
    drafts.push({
      ...base,
      code: "VIRTUAL_SERVER_MISSING",
      text: text("difference.server-missing", { service: named, address }),
      expected: [server.origin],
      actual: [],
    });
  }
  if (!e.complete) return drafts;
  const stale: Draft[] = [];
  for (const [address, server] of right) {
    if (left.has(address)) continue;
    const { key } = server;
    if (key.kind === "address" && e.nodePorts.has(key.port) && !actual.addressesWhole) continue;
    stale.push({
      key: `server ${address}`,
      code: "VIRTUAL_SERVER_STALE",
      text: text("difference.server-stale", { address }),
      expected: [],
      actual: [server.origin],
    });
  }
  return inPlaceOf(drafts, stale);
}

/** One that is not there and one that should not be are one at the wrong address. */
function inPlaceOf(drafts: readonly Draft[], stale: readonly Draft[]): readonly Draft[] {
  const missing = drafts.filter((d) => d.code === "VIRTUAL_SERVER_MISSING");
  const [from, to] = [missing[0], stale[0]];
  if (missing.length !== 1 || stale.length !== 1 || from === undefined || to === undefined)
    return [...drafts, ...stale];
  const { service, address } = from.text.params;
  const message = text("difference.server-changed", {
    service: service!,
    address: address!,
    other: to.text.params.address!,
    expected: address!,
  });
  const changed: Draft = { ...from, code: "VIRTUAL_SERVER_CHANGED", text: message, actual: to.actual };
  return drafts.map((d) => (d === from ? changed : d));
}

const settings = (v: VirtualService): string => {
  const hidden = new Set(v.notShown ?? []);
  return [
    hidden.has("scheduler") ? "" : v.scheduler,
    hidden.has("persistence") || v.persistence === undefined ? "" : `persistent ${v.persistence}`,
    v.onePacket ? "ops" : "",
  ]
    .filter((w) => w !== "")
    .join(" ");
};

const endpointText = (s: RealServer): string => at(s.address, s.port);

function inside(
  expected: VirtualService,
  found: VirtualService,
  named: string,
  base: Pick<Draft, "key" | "service">,
): readonly Draft[] {
  const drafts: Draft[] = [];
  const address = serverName(expected);
  const bare = { ...expected, ...(found.notShown !== undefined && { notShown: found.notShown }) };
  if (settings(bare) !== settings(found)) {
    drafts.push({
      ...base,
      key: `${base.key} settings`,
      code: "VIRTUAL_SERVER_CHANGED",
      text: text("difference.server-changed", {
        service: named,
        address,
        other: settings(found),
        expected: settings(bare),
      }),
      expected: [expected.origin],
      actual: [found.origin],
    });
  }
  const keyed = (list: readonly RealServer[]) => new Map(list.map((s) => [endpointText(s), s] as const));
  const [left, right] = [keyed(expected.realServers), keyed(found.realServers)];
  const missing = found.extent === "whole" ? [...left].filter(([k]) => !right.has(k)) : [];
  // kube-proxy leaves a server at weight 0 until its last connection has ended.
  const stray = [...right].filter(([k, s]) => !left.has(k) && s.weight !== 0);
  if (missing.length === 1 && stray.length === 1) {
    const [[endpoint, from], [other, to]] = [missing[0]!, stray[0]!];
    const said = text("difference.real-server-changed", { service: named, address, endpoint, other });
    return [
      ...drafts,
      {
        ...base,
        endpoint,
        key: `real server ${named} ${endpoint}`,
        code: "REAL_SERVER_CHANGED",
        text: said,
        expected: [from.origin],
        actual: [to.origin],
      },
    ];
  }
  for (const [endpoint, s] of missing) {
    const said = text("difference.real-server-missing", { service: named, address, endpoint });
    drafts.push({
      ...base,
      endpoint,
      key: `real server ${named} ${endpoint}`,
      code: "REAL_SERVER_MISSING",
      text: said,
      expected: [s.origin],
      actual: [found.origin],
    });
  }
  for (const [endpoint, s] of stray) {
    const said = text("difference.real-server-stray", { service: named, address, endpoint });
    drafts.push({
      ...base,
      endpoint,
      key: `real server ${named} ${endpoint}`,
      code: "REAL_SERVER_STRAY",
      text: said,
      expected: [expected.origin],
      actual: [s.origin],
    });
  }
  for (const [endpoint, s] of left) {
    const there = right.get(endpoint);
    if (there === undefined || sameWay(s, there)) continue;
    const said = text("difference.real-server-changed", {
      service: named,
      address,
      endpoint: wayOf(s),
      other: wayOf(there),
    });
    drafts.push({
      ...base,
      endpoint,
      key: `real server ${named} ${endpoint}`,
      code: "REAL_SERVER_CHANGED",
      text: said,
      expected: [s.origin],
      actual: [there.origin],
    });
  }
  return drafts;
}

const wayOf = (s: RealServer): string => `${endpointText(s)} ${s.method} weight ${s.weight}`;
const sameWay = (expected: RealServer, s: RealServer): boolean => {
  const hidden = new Set(s.notShown ?? []);
  return (
    (hidden.has("method") || s.method === "unknown" || s.method === expected.method) &&
    (hidden.has("weight") || s.weight === expected.weight)
  );
};

/** Addresses of Services on kube-ipvs0, where somebody showed which it has. */
export function boundDifferences(
  addresses: readonly Address[],
  e: Pick<ExpectedServers, "servers" | "serviceOf" | "complete">,
  actual: Actual,
): readonly Draft[] {
  const dummy = actual.devices.find((d) => d.name === KUBE_IPVS0);
  const known = dummy === undefined ? actual.devicesWhole && actual.addressesWhole : dummy.addressesKnown;
  if (!known) return [];
  const bound = dummy?.addresses ?? [];
  const serverAt = (address: Address): VirtualService | undefined =>
    e.servers.find((s) => s.key.kind === "address" && s.key.address === address);
  const there = new Set(bound.map((i) => formatAddress(i.prefix.address)));
  const wanted = new Set(addresses.map(formatAddress));
  const drafts = addresses
    .filter((a) => !there.has(formatAddress(a)))
    .map((a): Draft => {
      const server = serverAt(a);
      const service = server === undefined ? undefined : e.serviceOf(server);
      const address = formatAddress(a);
      return {
        key: `bound ${address}`,
        ...(service !== undefined && { service }),
        code: "VIP_NOT_BOUND",
        text: text("difference.vip-not-bound", { service: service ?? address, address }),
        expected: server === undefined ? [] : [server.origin],
        actual: dummy === undefined ? [] : [dummy.origin],
      };
    });
  const stale = e.complete
    ? bound.filter((i) => !isLinkLocal(i.prefix.address) && !wanted.has(formatAddress(i.prefix.address)))
    : [];
  return [
    ...drafts,
    ...stale.map((i): Draft => {
      const address = formatAddress(i.prefix.address);
      return {
        key: `bound ${address}`,
        code: "VIP_STALE",
        text: text("difference.vip-stale", { address }),
        expected: [],
        actual: [i.origin],
      };
    }),
  ].filter((d) => d.expected.length + d.actual.flatMap(linesOf).length > 0);
}
