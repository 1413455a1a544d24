import {
  decapsulate,
  fibLookup,
  isRouteError,
  type Kernel,
  type Skb,
  VXLAN_OVERHEAD,
  vxlanPort,
  vxlanVni,
} from "../../datapath/index.ts";
import type { Carried, Decision, Device } from "../../model/index.ts";
import { type Address, PROTO } from "../../net/index.ts";
import type { Walk } from "../walk/walk.ts";
import { farEndOf, underlayAddress } from "./far-end.ts";
import { ownerOf } from "./owners.ts";
import { type Attachment, isUnderlay } from "./topology.ts";
import { denies } from "./underlay.ts";

/** Far ends of tunnels of which nothing was shown: what is sent to them comes out, and what they send goes in. */
export class TunnelEnds {
  readonly #walk: Walk;

  constructor(walk: Walk) {
    this.#walk = walk;
  }

  /** Does a tunnel's packet go to a node of which nothing was shown? */
  lacksFarEnd(address: Address): boolean {
    const owner = ownerOf(this.#walk.world, address);
    return owner === undefined || owner.stack.assumed !== undefined;
  }

  unwrapUndumped(kernel: Kernel, skb: Skb, carried: Carried): void {
    const end = skb.packet.dst;
    this.#walk.oracle.assume({ kind: "far-tunnel-end", address: end }, "delivers", {
      kind: "far-tunnel-end",
      address: end,
    });
    decapsulate(skb, carried);
    this.#note(kernel, skb, { kind: "fabric-unwrapped-at", address: end });
  }

  /**
   * Somebody who was not shown sends through a tunnel: his node wraps the packet, and it reaches the tunnel's near end by
   * the underlay. Undefined: too little of the tunnel was shown to say how.
   */
  wrapFor({ kernel, device }: Attachment, skb: Skb): Attachment | "denied" | undefined {
    if ((device.kind !== "vxlan" && device.kind !== "ipip") || skb.packet.carried !== undefined) return undefined;
    const remote = this.#remoteBehind(kernel, device, skb.packet.src);
    if (remote === undefined) return undefined;
    const local = underlayAddress(kernel.stack, device);
    const near = kernel.stack.devices.items.find(
      (d) => isUnderlay(d) && d.addresses.some((a) => local !== undefined && a.prefix.address === local),
    );
    if (local === undefined || near === undefined || local === remote) return undefined;
    const link = this.#walk.topology.linkOf(kernel.name, near.name);
    if (link !== undefined && link.type !== "fabric") return undefined;
    const inner = skb.packet;
    const vxlan = device.kind === "vxlan";
    const vni = vxlan ? vxlanVni(device) : undefined;
    skb.wrapped = [...(skb.wrapped ?? []), skb.masqueraded];
    skb.masqueraded = false;
    skb.packet = {
      ...inner,
      src: remote,
      dst: local,
      protocol: vxlan ? PROTO.udp : PROTO.ipip,
      sport: vxlan ? this.#walk.newPort("vxlan", 32768, 60999) : 0,
      dport: vxlan ? vxlanPort(device) : 0,
      tcpFlags: 0,
      ttl: vxlan ? 64 : inner.ttl,
      tos: inner.tos & 3,
      length: inner.length + (vxlan ? VXLAN_OVERHEAD : 20),
      df: vxlan ? false : inner.df,
      carried: { tunnel: vxlan ? "vxlan" : "ipip", packet: inner, ...(vni !== undefined && { vni }) },
    };
    const { icmp: _, ...outer } = skb.packet;
    skb.packet = outer;
    const denied = this.#walk.world.fabric.deny.some((d) => denies(kernel, d, outer));
    this.#note(kernel, skb, { kind: "fabric-wrapped", remote: remote, local: local, tunnel: device.kind });
    if (denied) {
      kernel.drop(skb, "fabric", "FABRIC_DENY", { kind: "fabric-denied" }, [this.#walk.world.fabric.origin]);
      return "denied";
    }
    return { kernel, device: near };
  }

  /** The far end of a tunnel towards an address, as the near side would send to it. */
  #remoteBehind(kernel: Kernel, device: Device, address: Address): Address | undefined {
    const back = fibLookup(kernel, { daddr: address, saddr: undefined, iif: "lo", mark: 0, tos: 0, protocol: 0 });
    if (isRouteError(back) || back.device !== device) return undefined;
    if (device.tunnel?.remote !== undefined) return device.tunnel.remote;
    const hop = back.gateway ?? address;
    if (device.kind === "ipip") return back.gateway;
    const mac = kernel.stack.neighbours.items.find((n) => n.device === device.name && n.address === hop)?.mac;
    const entry = kernel.stack.fdb.items.find(
      (e) => e.device === device.name && e.mac === mac && e.destination !== undefined,
    );
    return entry?.destination ?? farEndOf(this.#walk.world, kernel.stack, device, hop, address);
  }

  #note(kernel: Kernel, skb: Skb, decision: Decision): void {
    if (this.#walk.recording)
      this.#walk.record(skb, { kind: "link", stack: kernel.name, packet: skb.packet, decision });
  }
}
