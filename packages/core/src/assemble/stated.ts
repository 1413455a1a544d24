import type { CaseFile, CaseStack, Device, DeviceAddress, Origin } from "../model/index.ts";
import type { Address } from "../net/index.ts";

/** What case.yaml says about the addresses of load balancers on this stack. */
export function statedVips(
  caseFile: CaseFile | undefined,
  stack: string,
): ReadonlyMap<Address, { readonly bound: boolean | "?"; readonly origin: Origin }> {
  const stated = new Map<Address, { readonly bound: boolean | "?"; readonly origin: Origin }>();
  for (const { address, targets, vipBoundOnNode, origin } of caseFile?.loadBalancers ?? []) {
    if (targets.includes(stack)) stated.set(address, { bound: vipBoundOnNode, origin });
  }
  return stated;
}

const globalAddress = (prefix: DeviceAddress["prefix"], origin: Origin): DeviceAddress => ({
  prefix,
  scope: "global",
  flags: [],
  origin,
});

/** Adds the addresses that case.yaml gives a stack and no dump shows, on the device it names, else on eth0. */
export function withStatedAddresses(devices: readonly Device[], stated: CaseStack | undefined): readonly Device[] {
  if (stated === undefined) return devices;
  const missing = stated.addresses.filter(
    (p) => !devices.some((d) => d.addresses.some((a) => a.prefix.address === p.address)),
  );
  const only = devices.filter((d) => d.kind !== "loopback");
  const name = stated.device ?? (only.length === 1 ? only[0]!.name : "eth0");
  const known = devices.find((d) => d.name === name);
  if (known === undefined && missing.length === 0) return devices;
  const device: Device = known ?? {
    name,
    kind: "unknown",
    up: true,
    carrier: true,
    ...(stated.mac === undefined ? {} : { mac: stated.mac.toLowerCase() }),
    addresses: [],
    addressesKnown: true,
    origin: stated.origin,
  };
  const filled = {
    ...device,
    addresses: [...device.addresses, ...missing.map((p) => globalAddress(p, stated.origin))],
  };
  return known === undefined ? [...devices, filled] : devices.map((d) => (d === known ? filled : d));
}
