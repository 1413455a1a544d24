import type { Decision, Packet } from "../../model/index.ts";
import { type Address, hasPorts } from "../../net/index.ts";
import { type Exploration, legsOf, type Ways } from "../../trace/index.ts";
import type { Actors } from "../views/actors.ts";
import type { Ports } from "../views/stack-view.ts";
import type { Looked } from "./sharing.ts";

/** The addresses and ports that packets carried, and the shown stacks they came through. */
export function lookedAt(
  { branches, world }: Exploration,
  actors: Actors,
  tried?: Ways,
): Pick<Looked, "stacks" | "ports" | "asked" | "isFixed"> & {
  readonly addresses: readonly Address[];
  /** By which devices packets came and went, by the names of stacks. */
  readonly devices: ReadonlyMap<string, ReadonlySet<string>>;
} {
  const addresses = new Set<Address>(tried?.addresses);
  const ports = new Set<number>(tried?.ports);
  // Of flows that were tried, too, not every packet's ports are known together.
  let isFixed = tried !== undefined && tried.stacks.size > 0;
  const noted = (packet: Packet): void => {
    const { sport, dport, protocol } = packet;
    for (const port of [sport, dport]) if (typeof port === "number") ports.add(port);
    isFixed ||= hasPorts(protocol)
      ? typeof sport === "number" && typeof dport === "number"
      : packet.icmp?.inner === undefined;
  };
  const names = new Set<string>(tried?.stacks);
  const devices = new Map<string, Set<string>>();
  const came = (stack: string, ...by: readonly string[]): void => {
    const known = devices.get(stack) ?? new Set();
    devices.set(stack, known);
    for (const device of by) known.add(device);
  };
  for (const [stack, by] of tried?.devices ?? []) came(stack, ...by);
  for (const branch of branches) {
    for (const leg of [...legsOf(branch), ...branch.aftermath]) {
      names.add(leg.stack);
      for (const packet of [leg.final, ...leg.steps.map((s) => s.packet)]) {
        addresses.add(packet.src).add(packet.dst);
        noted(packet);
        if (packet.carried === undefined) continue;
        addresses.add(packet.carried.packet.src).add(packet.carried.packet.dst);
        noted(packet.carried.packet);
      }
      for (const step of leg.steps) {
        names.add(step.stack);
        if (step.kind === "hook") came(step.stack, step.in, step.out);
        const far = step.kind === "drop" ? farEndIn(step.decision) : undefined;
        if (far !== undefined) addresses.add(far);
      }
    }
    for (const { original, reply } of branch.connections.touched)
      for (const tuple of [original, reply]) addresses.add(tuple.src).add(tuple.dst);
  }
  const shown = new Set(world.stacks.filter((s) => s.assumed === undefined).map((s) => s.name));
  // Whoever plays a part is looked at whether or not a packet came there.
  const players = actors.list.flatMap((a) => (a.stack === undefined ? [] : [a.role]));
  const others = [...names].filter((n) => shown.has(n)).map(actors.roleOfStack);
  return {
    addresses: [...addresses],
    devices,
    ports,
    asked: askedPorts(branches, tried?.ports ?? []),
    isFixed,
    stacks: [...new Set([...players, ...others])].sort(),
  };
}

/** Of a packet that was not carried any further, for there was no way to the tunnel's far end: whose that is counts. */
const farEndIn = (decision: Decision): Address | undefined => ("remote" in decision ? decision.remote : undefined);

/**
 * The ports of packets that may begin a connection where they come by: the request, and whatever comes by a stack that the request did not. Undefined
 * where one is for a port that was drawn.
 */
function askedPorts(branches: Exploration["branches"], others: Iterable<number>): Ports {
  const asked = new Set<number>(others);
  for (const branch of branches) {
    const { request } = branch;
    const passed = new Set([request.stack, ...request.steps.map((s) => s.stack)]);
    const packets = [request.final, ...request.steps.map((s) => s.packet)];
    for (const leg of [...legsOf(branch), ...branch.aftermath]) {
      if (leg === request) continue;
      if (!passed.has(leg.stack)) packets.push(leg.final);
      for (const { stack, packet } of leg.steps) if (!passed.has(stack)) packets.push(packet);
    }
    for (const { dport } of packets) {
      if (typeof dport !== "number") return undefined;
      asked.add(dport);
    }
  }
  return new Set([...asked].sort((a, b) => a - b));
}
