import { type Device, type DeviceKind, derived, KUBE_IPVS0, type Origin } from "../../model/index.ts";
import { isIpv4 } from "../../net/index.ts";

interface KindHint {
  readonly kind: DeviceKind;
  /** What it was told by. */
  readonly rule: string;
  readonly from?: readonly Origin[];
  readonly also?: Partial<Device>;
}

interface Surroundings {
  readonly byName: ReadonlyMap<string, Device>;
  /** Device → who names it as its master. */
  readonly mastered: ReadonlyMap<string, Origin>;
}

/** Names that one program gives to one kind of device and nobody to another. */
const WELL_KNOWN: readonly (readonly [RegExp, DeviceKind])[] = [
  [/^lo$/, "loopback"],
  [new RegExp(`^(?:${KUBE_IPVS0}|nodelocaldns|dummy\\d+)$`), "dummy"],
  [/^(?:flannel\.\d+|flannel-v6\.\d+|vxlan\.calico|vxlan-v6\.calico|cilium_vxlan|vxlan\d+)$/, "vxlan"],
  [/^(?:cilium_geneve|genev_sys_\d+|antrea-tun0)$/, "geneve"],
  [/^vxlan_sys_\d+$/, "vxlan"],
  [/^(?:tunl\d+|ipip\d+|dsr\w*)$/, "ipip"],
  [/^sit\d+$/, "sit"],
  [/^gre\d+$/, "gre"],
  [/^ip6tnl\d+$/, "ip6tnl"],
  [/^ip6gre\d+$/, "ip6gre"],
  [/^(?:wg\d+|wireguard\.cali|wg-v6\.cali|flannel-wg|flannel-wg-v6|cilium_wg0|kilo\d+)$/, "wireguard"],
  [/^(?:flannel\d+|tun\d+)$/, "tun"],
  [/^(?:tap[\w-]+|vnet\d+)$/, "tap"],
  [
    /^(?:docker\d+|cnio?\d+|cbr\d+|virbr\d+|br-[0-9a-f]{12}|kube-bridge|lxcbr\d+|lxdbr\d+|weave|docker_gwbridge)$/,
    "bridge",
  ],
  [
    /^(?:cali[0-9a-f]{6,12}|veth[\w-]+|lxc(?:[0-9a-f]{12,13}|_health)|azv[0-9a-f]{11}|eni[0-9a-f]{6,14}|cilium_(?:host|net))$/,
    "veth",
  ],
  [/^bond\d+$/, "bond"],
  [/^team\d+$/, "team"],
  [/^(?:ovs-system|br-int|br-ex|br-tun)$/, "openvswitch"],
  [/^nk[0-9a-f]{4,}$/, "veth"],
];

export const kindByName = (name: string): DeviceKind | undefined =>
  WELL_KNOWN.find(([pattern]) => pattern.test(name))?.[1];

/**
 * Plain `ip link` prints no kind. It is filled in where flags, link type or position leave one only, then by well-known
 * names; a card whose kind nothing tells stays unknown, which the walk takes for a card.
 */
export function withKinds(devices: readonly Device[], isNode: boolean): readonly Device[] {
  const mastered = new Map<string, Origin>();
  for (const d of devices) if (d.master !== undefined && !mastered.has(d.master)) mastered.set(d.master, d.origin);
  const around: Surroundings = { byName: new Map(devices.map((d) => [d.name, d])), mastered };
  return devices.map((device) => {
    const open = device.kind === "unknown" && device.kindName === undefined;
    const known = (isNode ? cardOfNode(device) : undefined) ?? (open ? tell(device, around) : undefined);
    if (known === undefined) return device;
    const origin = derived(known.rule, ...(known.from ?? [device.origin]));
    const { peer, ...rest } = device;
    const kept = known.kind === "vlan" || peer === undefined ? rest : { ...rest, peer };
    // kube-proxy makes it and never sets it up.
    const down = device.name === KUBE_IPVS0 && device.up === undefined ? { up: false } : {};
    return { ...kept, ...known.also, ...down, kind: known.kind, kindOrigin: origin };
  });
}

function tell(device: Device, around: Surroundings): KindHint | undefined {
  const { name } = device;
  const flags = device.flags ?? [];
  if (flags.includes("LOOPBACK")) return { kind: "loopback", rule: "LOOPBACK flag" };
  const vlan = vlanOf(device, around);
  if (vlan !== undefined) return vlan;
  const byName = kindByName(name);
  const named: KindHint | undefined = byName === undefined ? undefined : { kind: byName, rule: "kind by name" };
  const bare = flags.includes("NOARP") && flags.includes("BROADCAST");
  if (byName === "dummy") return bare ? { kind: "dummy", rule: "BROADCAST,NOARP and its name" } : named;
  if (device.linkType === "none" && flags.includes("POINTOPOINT")) {
    return byName === "wireguard" ? named : { kind: "tun", rule: "POINTOPOINT and link/none" };
  }
  const master = around.mastered.get(name);
  if (master !== undefined) return masterKind(device, byName, master);
  // A pod's macvlan or ipvlan prints the same; the pairing of ends across stacks takes that back.
  if (device.peer?.index !== undefined) return { kind: "veth", rule: "named by the index of its other end" };
  if (flags.includes("MASTER") && !flags.includes("NOARP")) return { kind: "bond", rule: "MASTER flag" };
  return named ?? cardOf(device);
}

const CARD = /^(?:eth\d+|em\d+|en[opsx]\w+|p\d+p\d+|ib\d+|wl\w+)$/;

/** A node that is itself a container (kind, minikube, LXC): its card is the end of a veth, and the underlay begins there. */
function cardOfNode(device: Device): KindHint | undefined {
  if ((device.kind !== "veth" && device.kind !== "unknown") || device.peer?.index === undefined) return undefined;
  const addressed =
    !device.addressesKnown || device.addresses.some((a) => isIpv4(a.prefix.address) || a.scope === "global");
  return addressed && device.master === undefined && CARD.test(device.name)
    ? { kind: "ethernet", rule: "the card of a node that is a container" }
    : undefined;
}

/** Several queues, or a name that cards get, and no other end that it would name. */
function cardOf({ name, qdisc, linkType, peer, lower }: Device): KindHint | undefined {
  if (peer !== undefined || lower !== undefined || (linkType !== undefined && linkType !== "ether")) return undefined;
  if (qdisc === "mq") return { kind: "ethernet", rule: "several queues" };
  return CARD.test(name) ? { kind: "ethernet", rule: "a card's name" } : undefined;
}

function masterKind(device: Device, byName: DeviceKind | undefined, from: Origin): KindHint {
  if (byName === "openvswitch" || byName === "team" || byName === "bond") return { kind: byName, rule: "kind by name" };
  const flags = device.flags ?? [];
  if (flags.includes("MASTER")) return { kind: flags.includes("NOARP") ? "vrf" : "bond", rule: "MASTER flag" };
  return { kind: "bridge", rule: "others name it as their master", from: [from] };
}

/** `eth0.100` on `eth0`, `vlan100@eth0`. */
function vlanOf(device: Device, around: Surroundings): KindHint | undefined {
  const dotted = /^(.+)\.(\d{1,4})$/.exec(device.name);
  const lower = device.lower ?? device.peer?.name;
  const hint = (base: string, id: number, rule: string): KindHint | undefined =>
    id < 1 || id > 4094 ? undefined : { kind: "vlan", rule, also: { lower: base, vlan: { id, protocol: "802.1Q" } } };
  if (dotted !== null && (lower === undefined ? around.byName.has(dotted[1]!) : lower === dotted[1])) {
    return hint(dotted[1]!, Number(dotted[2]), lower === undefined ? "kind by name" : "named after its lower device");
  }
  const plain = /^vlan(\d{1,4})$/.exec(device.name);
  return plain === null || lower === undefined
    ? undefined
    : hint(lower, Number(plain[1]), "named vlanN on its lower device");
}
