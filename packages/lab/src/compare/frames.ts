import { type Device, isEthernet, type ReceiveStep, type TransmitStep, type World } from "@hairpin/core/model/index.ts";
import type { Branch } from "@hairpin/core/trace/index.ts";
import type { FrameRecord } from "../observation.ts";
import { comparedSteps, packetText } from "../predict.ts";
import { comparable, relevant } from "./relevant.ts";
import { firstDifference } from "./star.ts";

interface Sight {
  /** `node eth0 out` */
  readonly place: string;
  readonly text: string;
}

const MAC = /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/;
/** A MAC that no dump shows is drawn by the kernel. */
const shown = (mac: string | undefined): string => (mac !== undefined && MAC.test(mac) ? mac : "*");

/**
 * Frames on every device, with MACs. Left aside: lo, which the walk takes as one step; bridges themselves, whose ports
 * tell more (a translated frame passes br_dev_xmit() only while its neighbour is not known yet); and copies of frames
 * for somebody else, which a switch that has not learnt yet floods.
 */
export function compareFrames(
  branch: Branch,
  frames: readonly FrameRecord[],
  world: World,
  protocol: number,
): readonly string[] {
  const deviceOf = (stack: string, name: string): Device | undefined =>
    world.stacks.find((s) => s.name === stack)?.devices.items.find((d) => d.name === name);
  const counts = (stack: string, device: string): boolean => {
    const kind = deviceOf(stack, device)?.kind;
    return kind !== undefined && kind !== "loopback" && kind !== "bridge";
  };
  const hasMac = (stack: string, device: string): boolean => {
    const found = deviceOf(stack, device);
    return found === undefined || found.kind === "loopback" || isEthernet(found);
  };
  const predicted = comparedSteps(branch)
    .filter((s): s is TransmitStep | ReceiveStep => s.kind === "transmit" || s.kind === "receive")
    .flatMap((s): Sight[] => {
      const direction = s.kind === "transmit" ? "out" : "in";
      if (!counts(s.stack, s.device)) return [];
      const macs = hasMac(s.stack, s.device) ? `${shown(s.sourceMac)} > ${shown(s.destinationMac)} ` : "";
      return [{ place: `${s.stack} ${s.device} ${direction}`, text: `${macs}${packetText(s.packet)}` }];
    });
  const keep = relevant(protocol);
  const inTime = [...frames].sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  const observed = inTime.flatMap((f): Sight[] => {
    const direction = f.direction === "out" ? "out" : "in";
    const place = `${f.stack} ${f.device} ${direction}`;
    if (f.packet === undefined || !counts(f.stack, f.device) || !keep(place, f.packet)) return [];
    const macs = hasMac(f.stack, f.device) ? `${f.sourceMac ?? "*"} > ${f.destinationMac ?? "*"} ` : "";
    const sight = { place, text: `${macs}${packetText(f.packet)}` };
    const expected = f.direction !== "otherhost" || predicted.some((p) => p.place === place);
    return expected ? [sight] : [];
  });
  const places = [...new Set([...predicted, ...observed].map((s) => s.place))];
  return places.flatMap((place) => {
    const texts = (sights: readonly Sight[]) =>
      sights.flatMap((s) => (s.place === place && comparable(branch, s.text) ? [s.text] : []));
    const d = firstDifference(texts(predicted), texts(observed));
    return d === undefined ? [] : [`${place}, frame ${d.at + 1}: the kernel ${d.kernel}; the walk ${d.walk}`];
  });
}
