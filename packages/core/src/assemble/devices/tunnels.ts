import type { Device, KubernetesObjects, Stack, TunnelParameters } from "../../model/index.ts";

/**
 * Plain `ip addr` prints nothing of a VXLAN device but its name. flannel names it after its VNI and says port and addresses
 * in its configuration and in the annotations of its Nodes.
 */
export function withTunnels(stacks: readonly Stack[], objects: KubernetesObjects): readonly Stack[] {
  return stacks.map((stack) => {
    if (!stack.devices.items.some((d) => d.kind === "vxlan")) return stack;
    const items = stack.devices.items.map((d) => (d.kind === "vxlan" ? completed(d, stack, objects) : d));
    return { ...stack, devices: { ...stack.devices, items } };
  });
}

function completed(device: Device, stack: Stack, { nodes, flannelNetworks }: KubernetesObjects): Device {
  const named = /^flannel\.(\d{1,8})$/.exec(device.name)?.[1];
  if (named === undefined) return device;
  const known = device.tunnel ?? {};
  const node = nodes.find((n) => n.name === stack.name)?.flannel;
  const network = flannelNetworks.find((n) => n.backend === undefined || n.backend === "vxlan");
  const own = node?.publicAddress;
  const local = own !== undefined && has(stack, own) ? own : undefined;
  const tunnel: TunnelParameters = {
    id: Number(named),
    ...(network?.port !== undefined && { port: network.port }),
    ...(local !== undefined && { local }),
    ...known,
  };
  return { ...device, tunnel };
}

const has = (stack: Stack, address: NonNullable<TunnelParameters["local"]>): boolean =>
  stack.devices.items.some((d) => d.addresses.some((a) => a.prefix.address === address));
