import { assumed, type Device, type LinkEnd, type World } from "@hairpin/core/model/index.ts";
import { emptyStack, type LabStack } from "../plan.ts";
import type { Remarks } from "./report.ts";

const origin = assumed("made for the lab");

export type CableEnds = readonly [LinkEnd, LinkEnd];

export interface Wiring {
  readonly cables: readonly CableEnds[];
  /** Namespaces that stand for switches. */
  readonly switches: readonly LabStack[];
  /** Cards on the underlay. */
  readonly fabric: readonly LinkEnd[];
}

export const card = (name: string, rest: Partial<Device> = {}): Device => ({
  name,
  kind: "veth",
  up: true,
  addresses: [],
  addressesKnown: true,
  origin,
  ...rest,
});

/** Kinds that a cable can end in. */
const isCard = (d: Device): boolean =>
  d.kind === "ethernet" || d.kind === "veth" || d.kind === "unknown" || d.kind === "bond" || d.kind === "team";

/** Links as cables: a veth pair is one, a segment of two ends too, a larger one is a switch with a cable to each end. */
export function wiringOf(world: World, devices: ReadonlyMap<string, readonly Device[]>, remarks: Remarks): Wiring {
  const cables: CableEnds[] = [];
  const switches: LabStack[] = [];
  const fabric: LinkEnd[] = [];
  const used = new Set<string>();
  const find = (end: LinkEnd): Device | undefined => devices.get(end.stack)?.find((d) => d.name === end.device);
  const usable = (end: LinkEnd): boolean => {
    const device = find(end);
    const free = !used.has(`${end.stack}\n${end.device}`);
    if (device === undefined || !isCard(device)) {
      remarks.add(
        "missing",
        end.stack,
        `the link of ${end.device}, which is ${device === undefined ? "not there" : `a ${device.kind}`}`,
      );
    } else if (!free) remarks.add("missing", end.stack, `a second link of ${end.device}`);
    used.add(`${end.stack}\n${end.device}`);
    return device !== undefined && isCard(device) && free;
  };
  for (const link of world.links) {
    const ends = link.ends.filter(usable);
    if (link.type === "fabric") fabric.push(...ends);
    else if (ends.length === 2) cables.push([ends[0]!, ends[1]!]);
    else if (ends.length > 2) {
      const name = `switch ${link.type === "l2" ? link.name : switches.length}`;
      const ports = ends.map((_, i) => card(`p${i}`, { master: "sw" }));
      const bridge = card("sw", { kind: "bridge" });
      switches.push({
        ...emptyStack(name, "switch"),
        devices: [loopback, bridge, ...ports],
        sysctls: [
          ["net.bridge.bridge-nf-call-iptables", "0"],
          ["net.bridge.bridge-nf-call-ip6tables", "0"],
          ["net.bridge.bridge-nf-call-arptables", "0"],
        ],
      });
      for (const [i, end] of ends.entries()) cables.push([end, { stack: name, device: `p${i}` }]);
    }
  }
  for (const stack of world.stacks) {
    for (const device of devices.get(stack.name) ?? []) {
      if (!isCard(device) || used.has(`${stack.name}\n${device.name}`)) continue;
      if (device.kind === "veth") {
        remarks.add("missing", stack.name, `the far end of ${device.name}, which nobody described`);
      } else fabric.push({ stack: stack.name, device: device.name });
    }
  }
  return { cables, switches, fabric };
}

export const loopback: Device = { ...card("lo"), kind: "loopback" };
