import { type Decision, type Device, isMet } from "../../model/index.ts";
import { DEVICE_COVERAGE } from "./coverage.ts";
import type { Kernel } from "./kernel.ts";
import { Undetermined } from "./oracle.ts";

/** A packet at a device whose datapath is not modelled (XDP or tc programs, macvlan, VRF …) goes no further. */
export function refuseUnmodelled(kernel: Kernel, device: Device, step: "receive" | "transmit"): void {
  const programs = device.programs?.filter((p) => isMet(p, step)) ?? [];
  if (programs.length > 0) {
    const names = [...new Set(programs.map((p) => p.name))];
    const origins = [device.origin, ...programs.flatMap((p) => p.origin ?? [])];
    throw new Undetermined(
      kernel.name,
      step,
      { kind: "unknown-program", device: device.name, programs: names },
      origins,
    );
  }
  // ipvlan_process_outbound(): in these modes the parent's stack routes and filters what its children send.
  if (device.kind === "ipvlan" && (device.mode === "l3" || device.mode === "l3s")) {
    const reason: Decision = { kind: "unknown-ipvlan", device: device.name, mode: device.mode };
    throw new Undetermined(kernel.name, step, reason, [device.origin]);
  }
  if (DEVICE_COVERAGE[device.kind] === "unknown") {
    throw new Undetermined(
      kernel.name,
      step,
      { kind: "unknown-device", device: device.name, deviceKind: device.kind },
      [device.origin],
    );
  }
}
