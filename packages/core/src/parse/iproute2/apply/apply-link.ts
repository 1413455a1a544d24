import type { Device } from "../../../model/index.ts";
import type { IpCommand, LinkChange } from "../command/command.ts";
import { applyKind, parametersOfWords, portOf } from "../device/link-kind.ts";
import type { Mutable } from "../lines.ts";
import { type Applied, done, refused } from "./applied.ts";

function flagsAfter(flags: readonly string[], change: LinkChange): readonly string[] {
  const set = new Set(flags);
  const turn = (flag: string, on: boolean | undefined): void => {
    if (on === true) set.add(flag);
    else if (on === false) set.delete(flag);
  };
  turn("UP", change.up);
  if (change.up === false) for (const flag of ["LOWER_UP", "NO-CARRIER"]) set.delete(flag);
  turn("NOARP", change.arp === undefined ? undefined : !change.arp);
  turn("PROMISC", change.promisc);
  turn("MULTICAST", change.multicast);
  turn("ALLMULTI", change.allmulticast);
  return [...set];
}

function changed(device: Device, change: LinkChange): Device {
  const after: Mutable<Device> = { ...device };
  for (const key of ["name", "mtu", "mac", "alias", "group", "up"] as const) {
    const value = change[key];
    if (value !== undefined) Object.assign(after, { [key]: value });
  }
  if (device.flags !== undefined) after.flags = flagsAfter(device.flags, change);
  // The link of a device that goes up or down is not known until somebody looks again.
  if (change.up !== undefined) delete after.carrier;
  if (change.master === null) {
    delete after.master;
    delete after.port;
  } else if (change.master !== undefined) after.master = change.master;
  const parameters = parametersOfWords(change.parameters ?? []);
  if (change.type === "bridge_slave") after.port = { ...device.port, ...portOf(parameters) };
  else if (change.type !== undefined && !change.type.endsWith("_slave")) {
    const { tunnel, bridge } = device;
    applyKind(after, change.type, parameters);
    if (tunnel !== undefined) after.tunnel = { ...tunnel, ...after.tunnel };
    if (bridge !== undefined) after.bridge = { ...bridge, ...after.bridge };
  }
  return after;
}

type LinkCommand = Extract<IpCommand, { kind: "link" }>;

/** `ip link set|add|del …`. A device moved to another namespace is gone from this one; a veth dies with its peer. */
export function applyLink(devices: readonly Device[], command: LinkCommand): Applied<readonly Device[]> {
  const device = devices.find((d) => d.name === command.device);
  const { change, origin } = command;
  if (command.verb === "add") {
    if (device !== undefined) return refused("EEXIST");
    const blank: Device = {
      name: command.device,
      kind: "unknown",
      up: false,
      addresses: [],
      addressesKnown: true,
      ...(change.lower === undefined ? {} : { lower: change.lower }),
      origin,
    };
    return done([...devices, changed(blank, change)]);
  }
  if (device === undefined) return refused("ENODEV");
  if (command.verb === "delete" || change.netns !== undefined) {
    const peer = command.verb === "delete" && device.kind === "veth" ? device.peer?.name : undefined;
    return done(devices.filter((d) => d !== device && (peer === undefined || d.name !== peer)));
  }
  return done(devices.map((d) => (d === device ? changed(d, change) : d)));
}
