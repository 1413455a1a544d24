import {
  allowedEgress,
  allowedIngress,
  type Kernel,
  letsIn,
  macOf,
  memo,
  portForwards,
  type Vid,
  vxlanVni,
} from "../../datapath/index.ts";
import { type Device, isTunnel, type Link, type World } from "../../model/index.ts";
import type { Mac } from "../../net/index.ts";
import { silentTo } from "../walk/parent-isolated.ts";
import { floodsNowhere } from "./arp-unheard.ts";

/** A card, or whatever is not known to be anything else: what the underlay reaches. */
export const isUnderlay = (d: Device): boolean =>
  (d.kind === "ethernet" ||
    d.kind === "unknown" ||
    d.kind === "bond" ||
    d.kind === "team" ||
    d.kind === "vlan" ||
    d.kind === "macvlan" ||
    d.kind === "ipvlan" ||
    d.kind === "bridge") &&
  d.master === undefined;

export interface Attachment {
  readonly kernel: Kernel;
  readonly device: Device;
}

/** Everything a broadcast frame sent out of a device reaches, and whether it also runs out of what the World knows. */
export interface Domain {
  readonly receivers: readonly Attachment[];
  /** Reaches the underlay. */
  readonly fabric: boolean;
  /** veth ends and bridge ports whose far side nobody dumped. */
  readonly loose: readonly Attachment[];
  /** A bridge port that does not forward kept the frame back somewhere. */
  readonly mute: boolean;
}

const keepsBack = ({ port, bridge }: Device): boolean =>
  port?.locked === true || (port?.learning === false && port.flood === false) || bridge?.vlanFiltering === true;

/** Where it is not known whether a bridge filters by VLAN, a frame is let by: the packet itself is stopped there, and says so. */
const vidOf = (k: Kernel, bridge: Device, from: Device, tag: number | undefined): Vid => {
  const vid = allowedIngress(k, bridge, from, tag);
  return vid === "unknown" ? "unfiltered" : vid;
};
const tagOf = (
  k: Kernel,
  bridge: Device,
  to: Device,
  vid: Vid,
  tag: number | undefined,
): { readonly tag: number | undefined } | undefined => {
  const found = allowedEgress(k, bridge, to, vid, tag);
  return found === "unknown" ? { tag } : found === "kept out" ? undefined : found;
};
const upon = (k: Kernel, lower: Device, vlan: number): Device | undefined =>
  k.stack.devices.items.find((d) => d.kind === "vlan" && d.lower === lower.name && d.vlan?.id === vlan);

/** Whether frames pass a device. What a port in another state than forwarding takes, its bridge drops. */
const carries = ({ up }: Device): boolean => up !== false;

/** Kept by the links: every branch is a walk of its own through the same World. */
const linked = new WeakMap<World["links"], LinksByEnd>();

/** By stack, then by device. */
type LinksByEnd = ReadonlyMap<string, ReadonlyMap<string, Link>>;

function linksByEnd(links: World["links"]): LinksByEnd {
  const found = new Map<string, Map<string, Link>>();
  for (const link of links)
    for (const { stack, device } of link.ends) memo(found, stack, () => new Map<string, Link>()).set(device, link);
  return found;
}

export class Topology {
  readonly #links: LinksByEnd;
  readonly #world: World;
  #keepsBack: boolean | undefined;
  readonly #kernel: (stack: string) => Kernel | undefined;

  constructor(world: World, kernel: (stack: string) => Kernel | undefined) {
    this.#world = world;
    this.#kernel = kernel;
    this.#links = memo(linked, world.links, () => linksByEnd(world.links));
  }

  linkOf(stack: string, device: string): Link | undefined {
    return this.#links.get(stack)?.get(device);
  }

  /** The other ends of a device's link. */
  peers(kernel: Kernel, device: Device): readonly Attachment[] {
    const link = this.linkOf(kernel.name, device.name);
    if (link === undefined || link.type === "fabric") return [];
    return link.ends.flatMap((end) => {
      if (end.stack === kernel.name && end.device === device.name) return [];
      const other = this.#kernel(end.stack);
      const there = other?.device(end.device);
      if (other === undefined || there === undefined) return [];
      return silentTo(kernel.stack, device, other.stack, there) ? [] : [{ kernel: other, device: there }];
    });
  }

  /** VXLAN devices of other stacks on the same segment: frames that are flooded into one come out of all. */
  overlay(kernel: Kernel, device: Device): readonly Attachment[] {
    const vni = vxlanVni(device);
    if (vni === undefined || floodsNowhere(kernel.stack, device)) return [];
    return this.#world.stacks.flatMap((stack) => {
      const there = stack.devices.items.find((d) => d.kind === "vxlan" && vxlanVni(d) === vni && d.up !== false);
      const other = there === undefined || stack.name === kernel.name ? undefined : this.#kernel(stack.name);
      return other === undefined ? [] : [{ kernel: other, device: there! }];
    });
  }

  /**
   * The Ethernet segment a device sends into: as a broadcast finds it, as a frame to a host that its bridges know does, or as one to this MAC, which a
   * port that neither learns nor floods keeps back.
   */
  domain(kernel: Kernel, device: Device, to: "broadcast" | "known" | { readonly mac: Mac } = "broadcast"): Domain {
    const floods = (k: Kernel, { name, port }: Device): boolean => {
      if (to === "known") return true;
      if (to === "broadcast") return port?.broadcastFlood !== false;
      if (port?.learning !== false || port.flood !== false) return true;
      return k.stack.fdb.items.some((f) => f.mac === to.mac && f.device === name);
    };
    const receivers: Attachment[] = [];
    const loose: Attachment[] = [];
    const seen = new Set<string>();
    let fabric = false;
    let mute = false;
    const forwards = (k: Kernel, port: Device): boolean => {
      const does = portForwards(k, port);
      mute ||= !does;
      return does;
    };
    const leave = (k: Kernel, d: Device, vlan: number | undefined): void => {
      const key = `out ${k.name} ${d.name} ${vlan ?? ""}`;
      if (seen.has(key) || !carries(d)) return;
      seen.add(key);
      if (d.kind === "bridge") {
        // br_flood(): what the bridge itself sends leaves by every port.
        const vid = vidOf(k, d, d, vlan);
        for (const port of k.compiled.ports(d.name)) {
          const out = tagOf(k, d, port, vid, vlan);
          if (out !== undefined && forwards(k, port) && (to === "broadcast" || floods(k, port)))
            leave(k, port, out.tag);
        }
        return;
      }
      if (d.kind === "vlan" && d.lower !== undefined) {
        const lower = k.device(d.lower);
        if (lower !== undefined) leave(k, lower, d.vlan?.id);
        return;
      }
      const peers = d.kind === "vxlan" ? this.overlay(k, d) : this.peers(k, d);
      for (const peer of peers) arrive(peer.kernel, peer.device, vlan);
      // A segment that is described has nobody on it but those it names.
      if (peers.length > 0 || this.linkOf(k.name, d.name)?.type === "l2") return;
      if (d.kind === "veth" || d.kind === "tap") loose.push({ kernel: k, device: d });
      else if (!isTunnel(d) && d.kind !== "dummy" && d.kind !== "loopback") fabric = true;
    };
    const arrive = (k: Kernel, d: Device, vlan: number | undefined): void => {
      const key = `in ${k.name} ${d.name} ${vlan ?? ""}`;
      if (seen.has(key) || !carries(d)) return;
      seen.add(key);
      if (vlan !== undefined) {
        const upper = upon(k, d, vlan);
        if (upper !== undefined) {
          arrive(k, upper, undefined);
          return;
        }
      }
      const master = d.master === undefined ? undefined : k.device(d.master);
      if (master?.kind === "bridge") {
        if (!carries(master) || !forwards(k, d)) return;
        if (!letsIn(k, d, macOf(kernel.name, device))) return;
        const vid = vidOf(k, master, d, vlan);
        const up = tagOf(k, master, master, vid, vlan);
        if (up !== undefined && up.tag === undefined) receivers.push({ kernel: k, device: master });
        else if (up?.tag !== undefined) {
          const upper = upon(k, master, up.tag);
          if (upper !== undefined) arrive(k, upper, undefined);
        }
        for (const port of k.compiled.ports(master.name)) {
          const out = tagOf(k, master, port, vid, vlan);
          if (
            out !== undefined &&
            port !== d &&
            forwards(k, port) &&
            floods(k, port) &&
            !(port.port?.isolated === true && d.port?.isolated === true)
          )
            leave(k, port, out.tag);
        }
        return;
      }
      if (vlan === undefined) receivers.push({ kernel: k, device: d });
    };
    leave(kernel, device, undefined);
    return { receivers, fabric, loose, mute };
  }

  /** Whether a frame from one host reaches another: asked of answers, where some bridge port is locked or neither learns nor floods. */
  reaches(from: Attachment, kernel: Kernel, device: Device): boolean {
    this.#keepsBack ??= this.#world.stacks.some((s) => s.devices.items.some(keepsBack));
    if (!this.#keepsBack) return true;
    const { receivers } = this.domain(from.kernel, from.device, { mac: macOf(kernel.name, device) });
    return receivers.some((r) => r.kernel === kernel && r.device === device);
  }

  /** Is the holder of this MAC somewhere behind this device? */
  leadsTo(kernel: Kernel, device: Device, mac: Mac): boolean {
    return this.domain(kernel, device, "known").receivers.some(
      (p) =>
        macOf(p.kernel.name, p.device) === mac ||
        (p.device.kind === "bridge" && p.kernel.compiled.ports(p.device.name).some((port) => port.mac === mac)),
    );
  }
}
