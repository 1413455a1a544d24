import { type Device, type DeviceAddress, derived, type Origin } from "../../model/index.ts";
import { isIpv4, LOOPBACK4 } from "../../net/index.ts";

const localhost = (origin: Origin): DeviceAddress => ({
  prefix: { address: LOOPBACK4, length: 8 },
  scope: "host",
  flags: [],
  label: "lo",
  origin,
});

/** Every namespace has a lo, and whoever runs anything in it has set it up with 127.0.0.1/8 (inetdev_event()). */
export function withLoopback(devices: readonly Device[]): readonly Device[] {
  const at = devices.findIndex((d) => d.kind === "loopback" || d.name === "lo");
  if (at < 0) {
    const origin = derived("every namespace has lo");
    const lo: Device = {
      name: "lo",
      index: 1,
      kind: "loopback",
      flags: ["LOOPBACK", "UP", "LOWER_UP"],
      up: true,
      carrier: true,
      mtu: 65536,
      addresses: [localhost(origin)],
      addressesKnown: true,
      origin,
    };
    return [lo, ...devices];
  }
  const lo = devices[at]!;
  if (lo.addressesKnown || lo.up === false || lo.addresses.some((a) => isIpv4(a.prefix.address))) return devices;
  const own = localhost(derived("lo has 127.0.0.1", lo.origin));
  return devices.map((d, i) => (i === at ? { ...d, addresses: [own, ...d.addresses] } : d));
}
