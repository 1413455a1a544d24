import { text } from "../messages/index.ts";
import type { Device } from "../model/index.ts";
import { DEVICE_COVERAGE } from "./coverage.ts";
import type { Kernel } from "./kernel.ts";
import { Undetermined } from "./oracle.ts";

/** A packet at a device whose datapath is not modelled (XDP or tc programs, macvlan, VRF …) goes no further. */
export function refuseUnmodelled(kernel: Kernel, device: Device, step: string): void {
  if (device.programs !== undefined && device.programs.length > 0) {
    const what = device.programs.join(", ");
    throw new Undetermined(kernel.name, step, text("unknown.program", { device: device.name, program: what }), [
      device.origin,
    ]);
  }
  // ipvlan_process_outbound(): in these modes the parent's stack routes and filters what its children send.
  if (device.kind === "ipvlan" && (device.mode === "l3" || device.mode === "l3s")) {
    const reason = text("unknown.ipvlan", { device: device.name, mode: device.mode });
    throw new Undetermined(kernel.name, step, reason, [device.origin]);
  }
  if (DEVICE_COVERAGE[device.kind] === "unknown") {
    throw new Undetermined(kernel.name, step, text("unknown.device", { device: device.name, kind: device.kind }), [
      device.origin,
    ]);
  }
}
