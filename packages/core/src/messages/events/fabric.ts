import type { FabricDecision } from "../../model/index.ts";
import { formatAddress } from "../../net/index.ts";
import { text } from "../text.ts";
import { absenceText } from "./link.ts";
import type { Renderers } from "./render.ts";

export const fabric: Renderers<FabricDecision> = {
  "fabric-unwrapped": ({ stack }) => text("fabric.unwrapped", { stack }),
  "fabric-unwrapped-at": ({ address }) => text("fabric.unwrapped", { stack: formatAddress(address) }),
  "fabric-wrapped": ({ remote, local, tunnel }) =>
    text("fabric.wrapped", { remote: formatAddress(remote), local: formatAddress(local), tunnel }),
  "fabric-denied": () => text("fabric.denied"),
  "fabric-mtu": ({ bytes, mtu }) => text("fabric.mtu", { bytes, mtu }),
  "fabric-source-checked": ({ device, address }) =>
    text("fabric.source-checked", { device, address: formatAddress(address) }),
  "fabric-egress": ({ address }) => text("fabric.egress", { address: formatAddress(address) }),
  "fabric-egress-undone": () => text("fabric.egress-undone"),
  "fabric-goes-back": ({ stack }) => text("fabric.goes-back", { stack }),
  "fabric-drained": ({ address }) => text("fabric.drained", { address: formatAddress(address) }),
  "fabric-nobody": ({ address, absence }) =>
    text("fabric.nobody", { address: formatAddress(address), why: absenceText(absence) }),
  "fabric-arrives": ({ stack, device }) => text("fabric.arrives", { stack, device }),
  "fabric-no-peer": ({ device, address }) => text("fabric.no-peer", { device, address: formatAddress(address) }),
  "fabric-gateway-drops": ({ gateway, address }) =>
    text("fabric.gateway-drops", { gateway: formatAddress(gateway), address: formatAddress(address) }),
  "fabric-delivered": ({ stack, device }) => text("fabric.delivered", { stack, device }),
  "fabric-answered-for": ({ stack, device }) => text("fabric.answered-for", { stack, device }),
  "fabric-virtual": ({ address, stack }) => text("fabric.virtual", { address: formatAddress(address), stack }),
  "fabric-behind": ({ stack, device }) => text("fabric.behind", { stack, device }),
  "fabric-next-hop": ({ gateway, stack }) => text("fabric.next-hop", { gateway: formatAddress(gateway), stack }),
  "fabric-own-behind": ({ address, device, stack, gateway }) =>
    text("fabric.own-behind", { address: formatAddress(address), device, stack, gateway: formatAddress(gateway) }),
  "balancer-answers": ({ balancer }) => text("fabric.balancer-answers", { balancer: formatAddress(balancer) }),
  "balancer-no-port": ({ balancer }) => text("fabric.balancer-no-port", { balancer: formatAddress(balancer) }),
  "balancer-not-in": ({ balancer, address }) =>
    text("fabric.balancer-not-in", { balancer: formatAddress(balancer), address: formatAddress(address) }),
  "balancer-no-endpoint": () => text("fabric.no-endpoint"),
  "balancer-no-target": () => text("fabric.no-target"),
  "balancer-unknown-target": ({ target }) => text("fabric.unknown-target", { target }),
  "balancer-sends": ({ balancer, target, way }) =>
    text(`fabric.balancer-${way}`, { balancer: formatAddress(balancer), target }),
  "balancer-sends-to-pod": ({ balancer, target, way }) =>
    text(`fabric.balancer-pod-${way}`, { balancer: formatAddress(balancer), target }),
  "balancer-back": ({ balancer, stack }) => text("fabric.balancer-back", { balancer: formatAddress(balancer), stack }),
};
