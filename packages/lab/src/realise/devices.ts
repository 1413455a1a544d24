import { assumed, type Device, type Stack } from "@hairpin/core/model/index.ts";
import { type Mac, parseLinkAddress, parseMac } from "@hairpin/core/net/index.ts";
import type { Remarks } from "./report.ts";

const origin = assumed("made for the lab");

const LOOPBACK: Device = { name: "lo", kind: "loopback", up: true, addresses: [], addressesKnown: true, origin };

/** A MAC of the lab's own, locally administered: every card has one that is known beforehand. */
export const madeMac = (stack: number, device: number): Mac =>
  [0x02, 0x68, stack >> 8, stack, device >> 8, device].map((b) => (b & 255).toString(16).padStart(2, "0")).join(":");

const HAS_MAC: ReadonlySet<Device["kind"]> = new Set<Device["kind"]>([
  "ethernet",
  "veth",
  "bridge",
  "bond",
  "team",
  "unknown",
  "vxlan",
  "dummy",
  "tap",
  "macvlan",
  "openvswitch",
]);

/** What is no link-layer address at all is left for the gate to refuse. */
const isEthernet = (mac: Mac): boolean => parseMac(mac) !== undefined || parseLinkAddress(mac) === undefined;

/**
 * The devices of a stack in order, lo first, each with a MAC where its kind has one. `linked`: devices that a link ends in; a tap
 * among them has a VM behind it, which here is a namespace behind a veth.
 */
export function devicesOf(
  stack: Stack,
  number: number,
  remarks: Remarks,
  linked: ReadonlySet<string> = new Set(),
): readonly Device[] {
  const named = stack.devices.items.filter((d, i, all) => all.findIndex((x) => x.name === d.name) === i);
  const lo = named.find((d) => d.kind === "loopback" || d.name === "lo") ?? LOOPBACK;
  const rest = named.filter((d) => d !== lo);
  const isSlave = (d: Device): boolean => {
    const master = rest.find((m) => m.name === d.master);
    return master?.kind === "bond" || master?.kind === "team";
  };
  const made: Device[] = [{ ...lo, kind: "loopback" }];
  for (const [i, device] of rest.entries()) {
    if (isSlave(device)) {
      remarks.add(
        "substituted",
        stack.name,
        `${device.master} stands as a single card, without its port ${device.name}`,
      );
      continue;
    }
    if (device.programs !== undefined && device.programs.length > 0) {
      remarks.add(
        "missing",
        stack.name,
        `the programs on ${device.name} (${device.programs.map((p) => p.name).join(", ")})`,
      );
    }
    const own = device.mac === undefined || isEthernet(device.mac) ? device.mac : undefined;
    if (own !== device.mac) {
      remarks.add("substituted", stack.name, `${device.name} has a MAC of the lab's, its own is none of six octets`);
    }
    const mac = own ?? (HAS_MAC.has(device.kind) ? madeMac(number, i + 1) : undefined);
    const kind = device.kind === "tap" && linked.has(device.name) ? "veth" : device.kind;
    if (kind !== device.kind) remarks.add("substituted", stack.name, `${device.name} is a veth in place of a tap`);
    const { mac: _, ...rest } = device;
    made.push({ ...rest, kind, ...(mac !== undefined && { mac }) });
  }
  return made;
}
