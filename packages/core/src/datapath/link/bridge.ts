import type { BridgeStep, Decision, Device, FdbEntry } from "../../model/index.ts";
import { BROADCAST_MAC, type Mac } from "../../net/index.ts";
import { protocolRcv } from "../ip/protocol-rcv.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { macOf } from "../kernel/mac-of.ts";
import { memo } from "../kernel/memo.ts";
import { Undetermined } from "../kernel/oracle.ts";
import type { Skb } from "../kernel/skb.ts";
import { passesBridge } from "../nft/bridge-hook.ts";
import { brNfForward, brNfPreRouting } from "./br-netfilter.ts";
import { allowedEgress, allowedIngress, type Vid } from "./br-vlan.ts";
import { devQueueXmit } from "./dev-queue-xmit.ts";
import { dropTooLong, isSkbForwardable } from "./is-skb-forwardable.ts";
import { FABRIC_MAC } from "./neighbour.ts";
import { netifReceive } from "./netif-receive.ts";

/** A frame enters a bridge port. Follows br_handle_frame() and br_handle_frame_finish() (net/bridge/br_input.c). */
export function brHandleFrame(kernel: Kernel, bridge: Device, port: Device, skb: Skb): void {
  if (!portForwards(kernel, port)) {
    dropByState(kernel, port, skb);
    return;
  }
  if (!letsIn(kernel, port, skb.sourceMac)) {
    kernel.drop(skb, "bridge", "BRIDGE_NO_PORT", { kind: "bridge-port-state", port: port.name, state: "locked" }, [
      port.origin,
    ]);
    return;
  }
  skb.dev = bridge;
  if (!passesBridge(kernel, skb, "PREROUTING", { in: port }, "before")) return;
  brNfPreRouting(kernel, bridge, port, skb, () => {
    if (passesBridge(kernel, skb, "PREROUTING", { in: port }, "behind")) brHandleFrameFinish(kernel, bridge, port, skb);
  });
}

const BEFORE_AND_AFTER = [
  { label: "not yet forwarding", share: 1 / 2 },
  { label: "forwarding", share: 1 / 2 },
];

/** br_handle_frame() and should_deliver(): only a forwarding port takes and gives frames. One that listens or learns forwards before long, by a timer. */
export function portForwards({ name: stack, oracle, scratch }: Kernel, { name, port }: Device): boolean {
  const state = port?.state;
  if (state === undefined || state === "forwarding") return true;
  if (state !== "listening" && state !== "learning") return false;
  const what = `${stack}/bridge-port/${name}`;
  return memo(scratch, what, () => oracle.chance(what, BEFORE_AND_AFTER)) === 1;
}

const dropByState = (kernel: Kernel, { name, port, origin }: Device, skb: Skb): void =>
  kernel.drop(
    skb,
    "bridge",
    "BRIDGE_NO_PORT",
    { kind: "bridge-port-state", port: name, state: port?.state ?? "disabled" },
    [origin],
  );

/** BR_PORT_LOCKED: a port lets in only those that its forwarding table has behind it. */
export const letsIn = ({ stack: { fdb } }: Kernel, { name, port }: Device, source: Mac | undefined): boolean =>
  port?.locked !== true || fdb.items.some((f) => f.mac === source && f.device === name && !f.flags.includes("locked"));

export function brHandleFrameFinish(kernel: Kernel, bridge: Device, port: Device, skb: Skb): void {
  const vid = vidOf(kernel, bridge, port, skb);
  if (vid === undefined) return;
  if (isForBridge(kernel, bridge, skb) && !isLocalIn(kernel, bridge, vid, skb)) {
    const frame = { ...skb };
    leavesBy(kernel, bridge, bridge, vid, skb);
    brFlood(kernel, bridge, port, vid, frame);
    return;
  }
  if (isForBridge(kernel, bridge, skb)) {
    note(kernel, bridge, skb, "up", { kind: "bridge-up", bridge: bridge.name }, port);
    if (passesBridge(kernel, skb, "INPUT", { in: port })) brPassFrameUp(kernel, bridge, vid, skb);
    return;
  }
  const out = portFor(kernel, bridge, port, skb);
  if (out === undefined) {
    kernel.drop(skb, "bridge", "BRIDGE_NO_PORT", noPort(bridge, skb));
    return;
  }
  if (out === port && !hairpins(kernel, bridge, port)) {
    kernel.drop(skb, "bridge", "BRIDGE_INGRESS_PORT", { kind: "bridge-hairpin", port: port.name }, [port.origin]);
    return;
  }
  if (!portForwards(kernel, out)) {
    dropByState(kernel, out, skb);
    return;
  }
  if (port.port?.isolated === true && out.port?.isolated === true) {
    kernel.drop(skb, "bridge", "BRIDGE_NO_PORT", { kind: "bridge-isolated", port: port.name, out: out.name }, [
      port.origin,
    ]);
    return;
  }
  if (!leavesBy(kernel, bridge, out, vid, skb)) return;
  note(kernel, bridge, skb, "forward", { kind: "bridge-forward", port: port.name, out: out.name }, out);
  brForward(kernel, bridge, port, out, skb, (frame) => brDevQueuePushXmit(kernel, out, frame));
}

/** __br_forward(): the bridge's own chains, and IP's where br_netfilter shows it the frame. */
function brForward(
  kernel: Kernel,
  bridge: Device,
  port: Device,
  out: Device,
  skb: Skb,
  go: (frame: Skb) => void,
): void {
  if (!passesBridge(kernel, skb, "FORWARD", { in: port, out }, "before")) return;
  brNfForward(kernel, bridge, port, out, skb, (frame) => {
    if (!passesBridge(kernel, frame, "FORWARD", { in: port, out }, "behind")) return;
    if (passesBridge(kernel, frame, "POSTROUTING", { out })) go(frame);
  });
}

/**
 * br_flood(): a frame whose address nobody has in its VLAN leaves by every port of that VLAN, also by the one it came in by where that
 * hairpins. Whoever gets one is not who it is for: only rules see it.
 */
function brFlood(kernel: Kernel, bridge: Device, port: Device, vid: Vid, skb: Skb): void {
  // br_add_if(): the port that was added last stands first.
  for (const out of [...kernel.compiled.ports(bridge.name)].reverse()) {
    const found = allowedEgress(kernel, bridge, out, vid, skb.vlan);
    if (typeof found === "string" || !portForwards(kernel, out) || out.port?.flood === false) continue;
    // br_skb_isolated(): a port is isolated from itself, too.
    if (
      (port.port?.isolated === true && out.port?.isolated === true) ||
      (out === port && !hairpins(kernel, bridge, port))
    )
      continue;
    const copy: Skb = { ...skb, vlan: found.tag, ...(skb.nfBridge !== undefined && { nfBridge: { ...skb.nfBridge } }) };
    brForward(kernel, bridge, port, out, copy, () => {});
  }
}

/**
 * Whether a frame may leave by the port it came in by. Plugins differ in it: a port of which nobody showed it is as the other
 * ports of its bridge are, and where none was shown, both are possible.
 */
function hairpins(kernel: Kernel, bridge: Device, port: Device): boolean {
  if (port.port?.hairpin !== undefined) return port.port.hairpin;
  const others = new Set(kernel.compiled.ports(bridge.name).flatMap((p) => p.port?.hairpin ?? []));
  const [alike] = others;
  if (alike !== undefined && others.size === 1) return alike;
  return kernel.oracle.fact({ kind: "hairpin", stack: kernel.name, port: port.name }, ["off", "on"]) === "on";
}

/** The VLAN of a frame that enters a bridge; undefined: it was dropped. */
function vidOf(kernel: Kernel, bridge: Device, from: Device, skb: Skb): Vid | undefined {
  const vid = allowedIngress(kernel, bridge, from, skb.vlan);
  if (vid === "unknown") throw vlansUnknown(kernel, bridge);
  if (vid !== "kept out") return vid;
  dropByVlan(kernel, from, skb, skb.vlan);
  return undefined;
}

/** Whether a frame of this VLAN leaves by a port, or goes up: then it has the tag that it has there. */
function leavesBy(kernel: Kernel, bridge: Device, to: Device, vid: Vid, skb: Skb): boolean {
  const found = allowedEgress(kernel, bridge, to, vid, skb.vlan);
  if (found === "unknown") throw vlansUnknown(kernel, bridge);
  if (found === "kept out") {
    dropByVlan(kernel, to, skb, typeof vid === "number" ? vid : undefined);
    return false;
  }
  skb.vlan = found.tag;
  return true;
}

const vlansUnknown = ({ name }: Kernel, bridge: Device): Undetermined =>
  new Undetermined(name, "bridge", { kind: "unknown-bridge-vlans", bridge: bridge.name }, [bridge.origin]);

const dropByVlan = (kernel: Kernel, { name, origin }: Device, skb: Skb, vlan: number | undefined): void =>
  kernel.drop(
    skb,
    "bridge",
    "VLAN_FILTER",
    { kind: "bridge-vlan", port: name, ...(vlan !== undefined && { vlan }) },
    [...kernel.stack.bridgeVlans.items.filter((v) => v.device === name).map((v) => v.origin), origin].slice(0, 3),
  );

/**
 * br_pass_frame_up(): the frame is now the bridge device's, or, with a tag, that of a VLAN device upon it. The port's conntrack pass counts as
 * PREROUTING.
 */
function brPassFrameUp(kernel: Kernel, bridge: Device, vid: Vid, skb: Skb): void {
  if (!leavesBy(kernel, bridge, bridge, vid, skb)) return;
  skb.dev = bridge;
  if (skb.vlan !== undefined) {
    netifReceive(kernel, bridge, skb);
    return;
  }
  if (skb.type !== "multicast") skb.type = "host";
  protocolRcv(kernel, skb, bridge);
}

/** A packet of this stack leaves by the bridge device. Follows br_dev_xmit(). */
export function brDevXmit(kernel: Kernel, bridge: Device, skb: Skb): void {
  const vid = vidOf(kernel, bridge, bridge, skb);
  if (vid === undefined) return;
  const out = portFor(kernel, bridge, undefined, skb);
  if (out === undefined) {
    kernel.drop(skb, "bridge", "BRIDGE_NO_PORT", noPort(bridge, skb));
    return;
  }
  if (!portForwards(kernel, out)) {
    dropByState(kernel, out, skb);
    return;
  }
  if (!leavesBy(kernel, bridge, out, vid, skb)) return;
  note(kernel, bridge, skb, "out", { kind: "bridge-out", port: out.name }, out);
  // br_nf_post_routing() leaves alone what already passed this stack's own POSTROUTING.
  if (passesBridge(kernel, skb, "OUTPUT", { out }) && passesBridge(kernel, skb, "POSTROUTING", { out }))
    brDevQueuePushXmit(kernel, out, skb);
}

/** Follows br_dev_queue_push_xmit(): a port does not send what is longer than its MTU. */
function brDevQueuePushXmit(kernel: Kernel, out: Device, skb: Skb): void {
  if (isSkbForwardable(out, skb)) devQueueXmit(kernel, out, skb);
  else dropTooLong(kernel, out, kernel.name, skb, "bridge");
}

const noPort = (bridge: Device, { destinationMac: mac }: Skb): Decision =>
  mac === undefined
    ? { kind: "bridge-no-port", bridge: bridge.name }
    : { kind: "bridge-no-port", bridge: bridge.name, mac };

const isForBridge = (kernel: Kernel, bridge: Device, skb: Skb): boolean =>
  skb.destinationMac !== undefined &&
  (skb.destinationMac === macOf(kernel.name, bridge) ||
    kernel.compiled.ports(bridge.name).some((p) => p.mac === skb.destinationMac));

/** br_vlan_add(), nbp_vlan_add(): an address of the bridge's or of a port's is known in the VLANs that this device is in. */
const isLocalIn = (kernel: Kernel, bridge: Device, vid: Vid, { destinationMac, vlan }: Skb): boolean =>
  [bridge, ...kernel.compiled.ports(bridge.name)].some(
    (d) =>
      (d === bridge ? macOf(kernel.name, bridge) : d.mac) === destinationMac &&
      allowedEgress(kernel, bridge, d, vid, vlan) !== "kept out",
  );

/**
 * Where the forwarding database points for the frame's destination. The table is taken as fully learnt: the port
 * behind which the MAC answers. Unknown unicast is flooded in reality; with one way out that is the same.
 */
function portFor(kernel: Kernel, bridge: Device, ingress: Device | undefined, skb: Skb): Device | undefined {
  const ports = kernel.compiled.ports(bridge.name);
  const mac = skb.destinationMac;
  if (mac !== undefined && mac !== BROADCAST_MAC) {
    const entry = kernel.stack.fdb.items.find(
      (f) => f.mac === mac && (f.master === bridge.name || f.master === undefined),
    );
    const known = entry === undefined ? undefined : ports.find((p) => p.name === entry.device);
    if (known !== undefined && mac !== FABRIC_MAC && !moves(kernel, ports, entry!)) return known;
    const behind = ports.find((port) => kernel.network.leadsTo(kernel, port, mac));
    // Whom nobody learnt is flooded to, unless the port is not flooded.
    if (behind !== undefined)
      return behind.port?.learning === false && behind.port.flood === false ? undefined : behind;
  }
  // Nobody known behind any port: the one that leads out of the snapshot gets it.
  return ports.find((p) => p !== ingress && kernel.network.leadsOut(kernel, p));
}

/** br_fdb_update(): an entry follows the host to the port by which its frames come in, unless it is sticky or that port does not learn. */
function moves(kernel: Kernel, ports: readonly Device[], { mac, flags }: FdbEntry): boolean {
  if (flags.includes("sticky") || !kernel.network.hasSpoken(mac)) return false;
  const now = ports.find((port) => kernel.network.leadsTo(kernel, port, mac));
  return now !== undefined && now.port?.learning !== false;
}

function note(
  kernel: Kernel,
  bridge: Device,
  skb: Skb,
  action: BridgeStep["action"],
  decision: Decision,
  port: Device,
): void {
  if (kernel.recording)
    kernel.record(skb, {
      kind: "bridge",
      stack: kernel.name,
      packet: skb.packet,
      action,
      bridge: bridge.name,
      port: port.name,
      decision,
    });
}
