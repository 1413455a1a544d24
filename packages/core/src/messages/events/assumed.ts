import { type Assumed, type BalancerHabit, placeOf } from "../../model/index.ts";
import { formatAddress } from "../../net/index.ts";
import { type Text, text } from "../text.ts";
import type { Renderers } from "./render.ts";

const habit = (h: BalancerHabit): Text =>
  h.kind === "targets" ? text("balancer.targets", { targets: h.targets }) : text(`balancer.${h.kind}`);

const assumed: Renderers<Assumed> = {
  sysctl: ({ by, key, value, stack }) => text(`assume.sysctl-${by}`, { key, value, stack }),
  "chain-no-effect": ({ chain, table }) => text("assume.chain-no-effect", { chain, table }),
  "chain-loop": ({ chain }) => text("assume.chain-loop", { chain }),
  "below-limit": ({ limit, rule }) => text("assume.below-limit", { limit, where: placeOf(rule) }),
  "recent-empty": ({ list }) => text("assume.recent-empty", { list }),
  owner: ({ stack, what }) => text("assume.owner", { stack, what }),
  "set-unchanged": ({ set }) => text("assume.set-unchanged", { set }),
  "kernel-current": ({ stack }) => text("assume.kernel-current", { stack }),
  "native-order": ({ stack }) => text("assume.native-order", { stack }),
  "conntrack-on": ({ stack }) => text("assume.conntrack-on", { stack }),
  "ipvs-rest": ({ address }) => text("assume.ipvs-rest", { address: formatAddress(address) }),
  "vxlan-port": ({ device, stack, port }) => text("assume.vxlan-port", { device, stack, port }),
  "vxlan-remote": ({ device, stack, address, remote }) =>
    text("assume.vxlan-remote", {
      device,
      stack,
      address: formatAddress(address),
      remote: formatAddress(remote),
    }),
  listening: ({ address, port, stack }) => text("assume.listening", { address: formatAddress(address), port, stack }),
  "not-listening": ({ address, port, stack }) =>
    text("assume.not-listening", { address: formatAddress(address), port, stack }),
  neighbour: ({ stack, mac, address, device }) =>
    text("assume.neighbour", { stack, mac, address: formatAddress(address), device }),
  "local-endpoint": ({ address, node }) => text("assume.local-endpoint", { address: formatAddress(address), node }),
  arrival: ({ address, stack, device }) => text("assume.arrival", { address: formatAddress(address), stack, device }),
  home: ({ address, stack }) => text("assume.home", { address: formatAddress(address), stack }),
  "far-tunnel-end": ({ address }) => text("assume.far-tunnel-end", { address: formatAddress(address) }),
  balancer: ({ balancer, provider, basis: ground, service, habit: h }) => {
    const taken = { balancer: formatAddress(balancer), provider, told: ground, what: habit(h) };
    return service === undefined ? text("assume.balancer", taken) : text("assume.balancer-of", { ...taken, service });
  },
  "pod-behind": ({ address, device, node }) =>
    text("assume.pod-behind", { address: formatAddress(address), device, node }),
  "on-bridge": ({ address, bridge, node }) =>
    text("assume.on-bridge", { address: formatAddress(address), bridge, node }),
  "pod-of-object": ({ address, pod, node }) =>
    text("assume.pod-of-object", { address: formatAddress(address), pod, node }),
  "far-host": ({ address }) => text("assume.far-host", { address: formatAddress(address) }),
  assembled: ({ message }) => message as Text,
};

/** What was assumed, told. */
export const assumptionText = (of: Assumed): Text => (assumed[of.kind] as (event: Assumed) => Text)(of);
