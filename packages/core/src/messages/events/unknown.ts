import type { Unknown } from "../../model/index.ts";
import { formatAddress } from "../../net/index.ts";
import { text } from "../text.ts";
import { orUnknown, type Renderers } from "./render.ts";

export const unknown: Renderers<Unknown> = {
  "unknown-fact": ({ fact }) => text("unknown.open-fact", { fact }),
  "unknown-nothing-read": () => text("unknown.nothing-read"),
  "unknown-too-much-work": () => text("unknown.too-much-work"),
  "unknown-too-many-hypotheses": () => text("walk.overflow"),
  "unknown-host-not-found": ({ address }) => text("unknown.host-not-found", { address: formatAddress(address) }),
  "unknown-addresses": ({ stack }) => text("unknown.addresses", { stack }),
  "unknown-stack": () => text("unknown.stack"),
  "unknown-host": ({ address }) => text("unknown.host", { address: formatAddress(address) }),
  "unknown-queue": () => text("unknown.queue"),
  "unknown-tproxy": () => text("unknown.tproxy"),
  "unknown-udp-checksum": ({ device }) => text("unknown.udp-checksum", { device }),
  "unknown-fragments6": () => text("unknown.fragments6"),
  "unknown-target": ({ target }) => text("unknown.target", { target }),
  "unknown-target-not-understood": ({ target }) => text("unknown.target-not-understood", { target }),
  "unknown-chain": ({ chain }) => text("unknown.no-chain", { chain }),
  "unknown-nftables": ({ table }) => text("unknown.nftables", { table }),
  "unknown-neighbour": ({ address, mac }) => text("unknown.neighbour", { address: formatAddress(address), mac }),
  "unknown-bridge-vlans": ({ bridge }) => text("unknown.bridge-vlans", { bridge }),
  "unknown-encapsulation": ({ encapsulation }) => text("unknown.encapsulation", { encapsulation }),
  "unknown-vrf-device": () => text("unknown.vrf-device"),
  "unknown-vrf": () => text("unknown.vrf"),
  "unknown-rule-action": ({ action }) => text("unknown.rule-action", { action }),
  "unknown-table": ({ table }) => text("unknown.table", { table }),
  "unknown-route-device": ({ device }) => text("unknown.route-device", { device: orUnknown(device) }),
  "unknown-program": ({ device, programs }) => text("unknown.program", { device, program: programs.join(", ") }),
  "unknown-socket-program": ({ owner, address, port }) =>
    text("unknown.socket-program", { owner, address: formatAddress(address), port }),
  "unknown-ipvlan": ({ device, mode }) => text("unknown.ipvlan", { device, mode }),
  "unknown-device": ({ device, deviceKind }) => text("unknown.device", { device, kind: deviceKind }),
  "unknown-ipvs-method": ({ method }) => text("unknown.ipvs-method", { method }),
  "unknown-real-servers": () => text("unknown.real-servers"),
  "unknown-virtual-services": ({ stack }) => text("unknown.virtual-services", { stack }),
  "unknown-tunnel-devices": ({ stack, tunnel, address }) =>
    text("unknown.tunnel-devices", { stack, tunnel, address: formatAddress(address) }),
  "unknown-published": ({ address, service }) =>
    text("unknown.published", { address: formatAddress(address), service }),
  "unknown-between": ({ from, to }) => text("unknown.between", { from: formatAddress(from), to: formatAddress(to) }),
  "unknown-untranslated": ({ address, stack }) =>
    text("unknown.untranslated", { address: formatAddress(address), stack }),
  "unknown-balancer-icmp": ({ balancer }) => text("unknown.balancer-icmp", { balancer: formatAddress(balancer) }),
  "unknown-balancer-node-port": ({ balancer, stack }) =>
    text("unknown.balancer-node-port", { balancer: formatAddress(balancer), stack }),
};
