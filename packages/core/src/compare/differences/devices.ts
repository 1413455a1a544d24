import type { Device, DeviceAddress, Stack } from "../../model/index.ts";
import { familyOf, formatAddress, formatPrefix, hostPrefix, isIpv4, isLinkLocal } from "../../net/index.ts";
import type { Element, NotShown } from "../element.ts";

/** Devices by name: what they are, where they lead, whether they are up, and their addresses. */
export function differingDevices(a: Stack, b: Stack, elements: Element[], notShown: NotShown[]): void {
  if (a.rulesOnly === true || b.rulesOnly === true) return;
  const keyed = (s: Stack) => new Map(s.devices.items.map((d) => [d.name, d] as const));
  const [left, right] = [keyed(a), keyed(b)];
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    const [x, y] = [left.get(name), right.get(name)];
    const where = `device ${name}`;
    if (x === undefined || y === undefined) {
      const lacking = x === undefined ? a : b;
      if (lacking.devices.extent !== "whole") notShown.push({ where, side: x === undefined ? "A" : "B" });
      else elements.push(element(where, x, y));
      continue;
    }
    if (shapeOf(x) !== shapeOf(y)) elements.push(element(where, x, y));
    addresses(where, x, y, elements, notShown);
  }
}

const known = (x: unknown): string => (x === undefined ? "?" : JSON.stringify(x));
const shapeOf = (d: Device): string =>
  [
    d.kind,
    known(d.up),
    d.master ?? "",
    d.lower ?? "",
    known(d.vlan),
    known(d.tunnel),
    d.mode ?? "",
    known(d.port?.hairpin),
    known(d.port?.isolated),
    known(d.bridge?.vlanFiltering),
    d.mtu ?? "?",
  ].join(" ");

function element(where: string, x: Device | undefined, y: Device | undefined): Element {
  const device = (x ?? y)!;
  const own = device.addresses.filter((d) => isIpv4(d.prefix.address) || !isLinkLocal(d.prefix.address));
  return {
    kind: "device",
    where,
    change: x === undefined ? "only in B" : y === undefined ? "only in A" : "changed",
    a: x === undefined ? [] : [x.origin],
    b: y === undefined ? [] : [y.origin],
    rules: [],
    hints: [
      { in: device.name },
      { out: device.name },
      ...own.slice(0, 4).flatMap((d) => [{ dst: hostPrefix(d.prefix.address) }, { dst: d.prefix }]),
      {},
    ],
    alone: (node) =>
      withDevice(node, device.name, x === undefined || y === undefined ? y : { ...y, addresses: x.addresses }),
  };
}

/** A stack in which one device is this one, or is not there. */
function withDevice(node: Stack, name: string, device: Device | undefined): Stack {
  const { items } = node.devices;
  const there = items.some((d) => d.name === name);
  const changed = items.flatMap((d) => (d.name !== name ? [d] : device === undefined ? [] : [device]));
  const all = there || device === undefined ? changed : [...changed, device];
  return { ...node, devices: { ...node.devices, items: all } };
}

function addresses(where: string, x: Device, y: Device, elements: Element[], notShown: NotShown[]): void {
  const keyed = (d: Device) => new Map(d.addresses.map((i) => [keyOf(i), i] as const));
  const [left, right] = [keyed(x), keyed(y)];
  const one = (i: DeviceAddress, side: "A" | "B"): Element => ({
    kind: "address",
    where: `${where} ${formatAddress(i.prefix.address)}`,
    change: side === "A" ? "only in A" : "only in B",
    a: side === "A" ? [i.origin] : [],
    b: side === "B" ? [i.origin] : [],
    rules: [],
    hints: [{ dst: hostPrefix(i.prefix.address) }, {}],
    alone: (node) =>
      withDevice(node, x.name, {
        ...x,
        addresses: side === "A" ? x.addresses.filter((k) => k !== i) : [...x.addresses, i],
      }),
    family: familyOf(i.prefix.address),
  });
  for (const [key, i] of left) {
    if (right.has(key)) continue;
    if (y.addressesKnown) elements.push(one(i, "A"));
    else notShown.push({ where, side: "B" });
  }
  for (const [key, i] of right) {
    if (left.has(key)) continue;
    if (x.addressesKnown) elements.push(one(i, "B"));
    else notShown.push({ where, side: "A" });
  }
}

const keyOf = (i: DeviceAddress): string =>
  `${formatPrefix(i.prefix)} ${i.peer === undefined ? "" : formatPrefix(i.peer)} ${i.scope} ${i.flags.includes("secondary")}`;
