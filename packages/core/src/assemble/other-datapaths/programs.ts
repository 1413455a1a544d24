import {
  type AttachedProgram,
  type Device,
  type DeviceProgram,
  isCard,
  isOfPrograms,
  isOfSwitch,
  isPort,
  type OtherDatapath,
} from "../../model/index.ts";
import type { Dump } from "../../parse/index.ts";
import { dumpedIn } from "../dumped.ts";

/**
 * Devices with what takes their packets: as `bpftool net`, `tc filter` and the ports of Open vSwitch show it; where nobody listed the
 * programs of a datapath that is there, on the devices on which it is known to have some.
 */
export function withPrograms(
  devices: readonly Device[],
  datapaths: readonly OtherDatapath[],
  dumps: readonly Dump[],
): readonly Device[] {
  const listings = dumpedIn(dumps, "programs").map((d) => d.fact);
  const listed = listings.flatMap((l) => l.programs);
  if (datapaths.length === 0 && listed.length === 0) return devices;
  const wholes = listings.filter((l) => l.extent === "whole");
  const ports = portsOf(dumps);
  return devices.map((device) => {
    const shown = listed.filter((p) => isOn(p, device)).map(asDeviceProgram);
    const known = datapaths.flatMap((d) => {
      // A list that shows some of its programs shows them all; one that shows none may be of a tool that does not know their kind.
      const seen = (p: AttachedProgram): boolean =>
        p.device !== undefined && isOfPrograms(d.owner, { ...device, name: p.device });
      const complete = !isOfSwitch(d.owner) && wholes.some((l) => l.programs.some(seen));
      return complete ? [] : knownProgram(device, d, ports);
    });
    const programs = distinct([...(device.programs ?? []), ...shown, ...known]);
    return programs.length === 0 ? device : { ...device, programs };
  });
}

const isOn = ({ device, hook }: AttachedProgram, { name, kind }: Device): boolean =>
  hook !== "socket" && (device === name || (device === undefined && kind !== "loopback"));

const asDeviceProgram = ({ hook, name, origin }: AttachedProgram): DeviceProgram => ({
  hook: hook === "socket" ? "both" : hook,
  name,
  origin,
});

function knownProgram(
  device: Device,
  { owner, cards, origin }: OtherDatapath,
  ports: ReadonlySet<string> | undefined,
): readonly DeviceProgram[] {
  if (isOfSwitch(owner)) {
    const switched = isPort(device, ports) || (cards === true && isCard(device));
    return switched ? [{ hook: "both", name: "flows of Open vSwitch" }] : [];
  }
  if (isOfPrograms(owner, device)) return [{ hook: "both", name: `programs of ${owner}` }];
  return cards === true && isCard(device) ? [{ hook: "both", name: `programs of ${owner}`, origin }] : [];
}

/** All ports, where somebody listed them. */
function portsOf(dumps: readonly Dump[]): ReadonlySet<string> | undefined {
  const lists = dumpedIn(dumps, "other-datapath").flatMap((d) =>
    d.fact.devices === undefined ? [] : [d.fact.devices],
  );
  return lists.length === 0 ? undefined : new Set(lists.flat());
}

const distinct = (programs: readonly DeviceProgram[]): readonly DeviceProgram[] => [
  ...new Map(programs.map((p) => [`${p.hook} ${p.name}`, p])).values(),
];
