import type { Fact, Neighbour, Packet, Port } from "../../model/index.ts";
import { portKey } from "../../model/index.ts";
import { type Address, ANY4, formatAddress, protocolName } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { kernelAtLeast } from "../kernel/kernel-version.ts";
import { memo } from "../kernel/memo.ts";
import { scatter } from "../kernel/ports.ts";
import { sysctl } from "../kernel/sysctl.ts";
import type { FlowKey } from "./fib.ts";
import { inetSelectAddr, scopeNumber } from "./inet-select-addr.ts";
import type { RouteResult } from "./route-result.ts";

/** Bits of fib_multipath_hash_fields. */
const FIELD = { source: 1, destination: 2, protocol: 4, sport: 16, dport: 32 } as const;

/** What the hash is taken of. */
interface Hashed {
  readonly source?: Address;
  readonly destination?: Address;
  readonly protocol?: number;
  readonly sport?: Port;
  readonly dport?: Port;
}

/**
 * Follows fib_select_path() and fib_select_multipath() (fib_semantics.c): a hash of the flow with a secret seed chooses, the same for all
 * its packets. Where what is hashed is known, so is that every try takes the same nexthop: which one is an open fact. Where a port is in it
 * that the kernel draws, it is chance. `packet`: what is forwarded.
 */
export function fibSelectPath(kernel: Kernel, found: RouteResult, key: FlowKey, packet?: Packet): RouteResult {
  const { paths } = found;
  if (paths === undefined || key.oif !== undefined) return found;
  const bySlot = selectedBySlot(kernel, paths, packet === undefined ? key.saddr : undefined);
  const weights = new Map<RouteResult, number>();
  for (const [slot, path] of bySlot.entries()) weights.set(path, (weights.get(path) ?? 0) + weightOf(paths[slot]!));
  const distinct = [...weights.keys()];
  if (distinct.length === 1) return distinct[0]!;
  const total = paths.reduce((sum, p) => sum + weightOf(p), 0);
  const options = distinct.map((path) => ({ label: labelOf(path), share: weights.get(path)! / total }));
  const hashed = hashedOf(kernel, key, packet);
  const where = `${kernel.name}/multipath/${found.route?.origin.kind === "read" ? `${found.route.origin.file}:${found.route.origin.line}` : String(found.table)}`;
  const drawn = [hashed.sport, hashed.dport].some((port) => port !== undefined && typeof port !== "number");
  // FLOWI_FLAG_ANY_SPORT: a source that is chosen before its port is hashed with any, each time with another.
  if (hashed.sport === 0 && packet === undefined && kernelAtLeast(kernel, 6, 10))
    return distinct[kernel.oracle.chance(where, options)]!;
  const taken = memo(kernel.scratch, `${where}/${textOf(hashed)}`, () => {
    if (drawn) {
      scatter(kernel, [hashed.sport, hashed.dport]);
      return kernel.oracle.chance(where, options);
    }
    const labels = options.map((o) => o.label);
    return labels.indexOf(kernel.oracle.fact(factOf(kernel, key, hashed), labels));
  }) as number;
  return distinct[taken] ?? distinct[0]!;
}

const weightOf = (path: RouteResult): number => path.nexthop?.weight ?? 1;
const labelOf = ({ gateway, device }: RouteResult): string =>
  gateway === undefined ? `dev ${device.name}` : `via ${formatAddress(gateway)} dev ${device.name}`;

/**
 * Which path is taken where the hash falls into each slot: the first from it on that fits, else the first of all. A nexthop whose own address is
 * the source comes first since 6.16; with `fib_multipath_use_neigh`, and in a nexthop group always, one whose neighbour failed is passed over.
 */
function selectedBySlot(
  kernel: Kernel,
  paths: readonly RouteResult[],
  saddr: Address | undefined,
): readonly RouteResult[] {
  const group = paths[0]?.route?.nexthopId !== undefined;
  const looks = group || sysctl(kernel, "net.ipv4.fib_multipath_use_neigh").value !== "0";
  const usable = looks ? paths.filter((p) => goodNexthop(kernel, p)) : paths;
  if (usable.length === 0) return group ? paths.map(() => paths[0]!) : paths;
  const prefersOwn = !group && saddr !== undefined && saddr !== ANY4 && kernelAtLeast(kernel, 6, 16);
  const own = prefersOwn ? usable.filter((p) => ownAddress(kernel, p) === saddr) : [];
  const among = new Set(own.length > 0 ? own : usable);
  let next = paths.find((p) => among.has(p))!;
  return paths
    .map((_, i) => {
      const path = paths[paths.length - 1 - i]!;
      if (among.has(path)) next = path;
      return next;
    })
    .reverse();
}

/** fib_nh_common's nhc_saddr: never the route's `src`. */
const ownAddress = (kernel: Kernel, { device, gateway, route }: RouteResult): Address | undefined =>
  inetSelectAddr(kernel, device, gateway, scopeNumber(route?.scope))?.address;

const BAD: ReadonlySet<string> = new Set(["FAILED", "INCOMPLETE", "NONE"]);

/** Follows fib_good_nh(): one that has no neighbour entry is good. */
function goodNexthop(kernel: Kernel, { device, gateway }: RouteResult): boolean {
  if (gateway === undefined) return true;
  const entry = kernel.stack.neighbours.items.find(
    (n: Neighbour) => n.device === device.name && n.address === gateway && !n.proxy,
  );
  return entry === undefined || !entry.states.some((s) => BAD.has(s));
}

/** Follows fib_multipath_hash(): by policy. */
function hashedOf(kernel: Kernel, key: FlowKey, packet: Packet | undefined): Hashed {
  const policy = sysctl(kernel, "net.ipv4.fib_multipath_hash_policy").value;
  const { protocol, sport, dport } = packet ?? key;
  const addresses = { source: packet?.src ?? key.saddr ?? ANY4, destination: packet?.dst ?? key.daddr };
  const ports = { ...(sport !== undefined && { sport }), ...(dport !== undefined && { dport }) };
  // ip_multipath_l3_keys(): an ICMP error goes the way of the packet it quotes.
  const quoted = packet?.icmp?.inner;
  if (policy === "1") return { ...addresses, protocol, ...ports };
  if (policy === "3") {
    const fields = Number(sysctl(kernel, "net.ipv4.fib_multipath_hash_fields").value);
    return {
      ...(fields & FIELD.source && { source: addresses.source }),
      ...(fields & FIELD.destination && { destination: addresses.destination }),
      ...(fields & FIELD.protocol && { protocol }),
      ...(fields & FIELD.sport && sport !== undefined && { sport }),
      ...(fields & FIELD.dport && dport !== undefined && { dport }),
    };
  }
  const inner = policy === "2" ? packet?.carried?.packet : quoted;
  return inner === undefined ? addresses : { source: inner.src, destination: inner.dst };
}

const textOf = ({ source, destination, protocol, sport, dport }: Hashed): string =>
  [
    source === undefined ? "" : formatAddress(source),
    destination === undefined ? "" : formatAddress(destination),
    protocol ?? "",
    ...[sport, dport].map((port) => (port === undefined ? "" : portKey(port))),
  ].join(" ");

const factOf = (kernel: Kernel, key: FlowKey, hashed: Hashed): Fact => ({
  kind: "multipath",
  stack: kernel.name,
  iif: key.iif,
  source: hashed.source ?? ANY4,
  destination: hashed.destination ?? key.daddr,
  ...(typeof hashed.sport === "number" && {
    ports: `${protocolName(hashed.protocol ?? 0)} ${hashed.sport} ${portKey(hashed.dport ?? 0)}`,
  }),
});
