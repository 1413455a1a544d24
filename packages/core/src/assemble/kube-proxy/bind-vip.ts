import type { Device, OpenFact, Stack, World } from "../../model/index.ts";
import { formatAddress } from "../../net/index.ts";
import { resyncFib } from "../patch/fib.ts";
import { KUBE_IPVS0, type Served } from "./served.ts";
import { servedOf } from "./sets.ts";
import { kubeIpvs0, unseenService, vipAddress, vipFact } from "./vips.ts";

/** The open facts of a World that ask whether a node has this address on kube-ipvs0. */
export const openVips = (
  world: World,
  address: number,
): readonly { readonly stack: Stack; readonly fact: OpenFact }[] =>
  world.stacks.flatMap((stack) => {
    const { id } = vipFact(stack.name, address);
    const fact = world.open?.find((f) => f.id === id);
    return fact === undefined ? [] : [{ stack, fact }];
  });

/** The World in which this node has, or has not, this address on kube-ipvs0, with the virtual services that belong to it. */
export function bindVip(world: World, stackName: string, address: number, bound: boolean): World {
  const { id } = vipFact(stackName, address);
  const open = world.open?.filter((f) => f.id !== id) ?? [];
  const stacks = world.stacks.map((s) =>
    s.name === stackName ? (bound ? withVip(s, address) : withoutVip(s, address)) : s,
  );
  return { ...world, stacks, open };
}

const same =
  (a: number) =>
  (e: Device["addresses"][number]): boolean =>
    formatAddress(e.prefix.address) === formatAddress(a);

function withVip(stack: Stack, address: number): Stack {
  const origin = { kind: "assumed", rule: "the node binds the Service address" } as const;
  const { items } = stack.devices;
  if (items.some((d) => d.addresses.some(same(address)))) return stack;
  const device = items.find((d) => d.name === KUBE_IPVS0) ?? kubeIpvs0(origin);
  const filled: Device = { ...device, addresses: [...device.addresses, vipAddress(address, origin)] };
  const devices = items.includes(device) ? items.map((d) => (d === device ? filled : d)) : [...items, filled];
  const grown = resyncFib(stack, { ...stack, devices: { ...stack.devices, items: devices } });
  const known = new Set(
    stack.ipvs.services.map((s) =>
      s.key.kind === "address" ? `${s.key.protocol} ${formatAddress(s.key.address)} ${s.key.port}` : "",
    ),
  );
  const missing = members(stack, address).filter(
    (s) => !known.has(`${s.protocol} ${formatAddress(s.address)} ${s.port}`),
  );
  if (stack.ipvs.extent === "whole" || missing.length === 0) return grown;
  return {
    ...grown,
    ipvs: { ...grown.ipvs, services: [...grown.ipvs.services, ...missing.map((s) => unseenService(s, s.origin))] },
  };
}

const members = (stack: Stack, address: number): readonly Served[] =>
  stack.ipsets.items
    .filter((s) => s.name === "KUBE-LOAD-BALANCER" || s.name === "KUBE-EXTERNAL-IP" || s.name === "KUBE-CLUSTER-IP")
    .flatMap((s) => s.entries)
    .flatMap((e) => (e.nomatch ? [] : (servedOf(e) ?? [])))
    .filter((s) => s.address === address);

function withoutVip(stack: Stack, address: number): Stack {
  const items = stack.devices.items.map(
    (d): Device => (d.name === KUBE_IPVS0 ? { ...d, addresses: d.addresses.filter((a) => !same(address)(a)) } : d),
  );
  return resyncFib(stack, { ...stack, devices: { ...stack.devices, items } });
}
