import type { TunnelDecision } from "../../model/index.ts";
import { formatAddress } from "../../net/index.ts";
import { text } from "../text.ts";
import { orUnknown, portText, type Renderers } from "./render.ts";

export const tunnel: Renderers<TunnelDecision> = {
  "tunnel-send": ({ device, remote, tunnel: kind }) =>
    text("step.tunnel-send", { device, remote: formatAddress(remote), tunnel: kind }),
  "tunnel-take": ({ device, remote }) => text("step.tunnel-take", { device, remote: formatAddress(remote) }),
  "tunnel-no-route": ({ remote, device, errno }) =>
    text("step.tunnel-no-route", { remote: formatAddress(remote), device, errno }),
  "tunnel-error": ({ remote, device }) => text("step.tunnel-error", { remote: formatAddress(remote), device }),
  "tunnel-loop": ({ remote, device }) => text("step.tunnel-loop", { remote: formatAddress(remote), device }),
  "tunnel-no-local": ({ device }) => text("step.tunnel-no-local", { device }),
  "tunnel-other-family": ({ device, mode }) => text("step.tunnel-other-family", { device, mode }),
  "tunnel-nested": ({ device }) => text("step.tunnel-nested", { device }),
  "tunnel-loop-of": ({ remote, device }) => text("step.tunnel-loop-of", { remote: formatAddress(remote), device }),
  "tunnel-over": () => text("step.tunnel-over"),
  "tunnel-too-big": ({ bytes, room, device, lower }) => text("step.tunnel-too-big", { bytes, room, device, lower }),
  "tunnel-no-device": ({ tunnel: kind, stack, address }) =>
    text("step.tunnel-no-device", { tunnel: kind, stack, address: formatAddress(address) }),
  "tunnel-own-end": ({ device, remote, stack }) =>
    text("step.tunnel-own-end", { device, remote: formatAddress(remote), stack }),
  "vxlan-no-entry": ({ device, mac }) => text("step.vxlan-no-entry", { device, mac: orUnknown(mac) }),
  "vxlan-nobody": ({ port }) => text("step.vxlan-nobody", { port: portText(port) }),
  "vxlan-no-device": ({ stack, port }) => text("step.vxlan-no-device", { stack, port: portText(port) }),
  "vxlan-entry-exists": ({ mac, device, remote, source }) =>
    text("step.vxlan-entry-exists", {
      mac,
      device,
      remote: formatAddress(remote),
      source: formatAddress(source),
    }),
  "udp-checksum": ({ device }) => text("step.udp-checksum", { device }),
  "vxlan-no-vni": ({ stack, vni }) => text("step.vxlan-no-vni", { stack, vni: orUnknown(vni) }),
  "vxlan-own-mac": ({ mac, device, stack }) => text("step.vxlan-own-mac", { mac, device, stack }),
};
