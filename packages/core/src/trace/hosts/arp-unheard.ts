import type { Device, Stack } from "../../model/index.ts";

/** Was the whole forwarding table shown, and does nothing in it say where a VXLAN device floods what is for nobody in particular? */
export const floodsNowhere = ({ fdb }: Stack, device: Device): boolean =>
  fdb.extent === "whole" &&
  device.tunnel !== undefined &&
  device.tunnel.remote === undefined &&
  device.tunnel.group === undefined &&
  !fdb.items.some((e) => e.device === device.name && e.mac === "00:00:00:00:00:00");

/** Does an ARP request sent by it reach nobody, and was the whole neighbour table shown? */
export const arpReachesNobody = (stack: Stack, device: Device): boolean =>
  stack.neighbours.extent === "whole" && floodsNowhere(stack, device);
