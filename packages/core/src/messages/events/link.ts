import type { Absence, LinkDecision } from "../../model/index.ts";
import { formatAddress } from "../../net/index.ts";
import { type Text, text } from "../text.ts";
import { decisionText } from "./decision.ts";
import { orUnknown, type Renderers } from "./render.ts";

/** Why nobody is there. */
export function absenceText({ by, service, pod }: Absence): Text {
  switch (by) {
    case "endpoints":
      return text("absence.endpoints", { service: service ?? "" });
    case "pod":
      return text("absence.pod", { pod: pod ?? "" });
    default:
      return text(`absence.${by}`);
  }
}

export const link: Renderers<LinkDecision> = {
  "device-down": ({ device }) => text("step.device-down", { device }),
  "no-carrier": ({ device }) => text("step.no-carrier", { device }),
  "bridge-vlan": ({ port, vlan }) =>
    vlan === undefined ? text("step.bridge-no-pvid", { port }) : text("step.bridge-vlan", { port, vlan }),
  "no-vlan": ({ vlan, device }) => text("step.no-vlan", { vlan, device }),
  dummy: ({ device }) => text("step.dummy", { device }),
  "frame-too-long": ({ bytes, mtu, device, stack }) => text("step.frame-too-long", { bytes, mtu, device, stack }),
  otherhost: ({ device }) => text("step.otherhost", { device }),
  "host-not-there": ({ stack }) => text("step.host-not-there", { stack }),
  loop: () => text("step.loop"),
  "no-mac": ({ mac }) => text("step.no-mac", { mac: orUnknown(mac) }),
  "bridge-port-state": ({ port, state }) => text("step.bridge-port-state", { port, state }),
  "bridge-up": ({ bridge }) => text("step.bridge-up", { bridge }),
  "bridge-no-port": ({ bridge, mac }) =>
    mac === undefined ? text("step.bridge-no-port-at-all", { bridge }) : text("step.bridge-no-port", { bridge, mac }),
  "bridge-hairpin": ({ port }) => text("step.bridge-hairpin", { port }),
  "bridge-isolated": ({ port, out }) => text("step.bridge-isolated", { port, out }),
  "bridge-forward": ({ port, out }) => text("step.bridge-forward", { port, out }),
  "bridge-out": ({ port }) => text("step.bridge-out", { port }),
  neighbour: ({ address, mac }) => text("step.neighbour", { address: formatAddress(address), mac }),
  "no-link-local": ({ device }) => text("step.no-link-local", { device }),
  "proxy-late": ({ address, stack, device }) =>
    text("step.proxy-late", { address: formatAddress(address), stack, device }),
  "no-neighbour": ({ address, device, states, absence, lost }) => {
    const silent =
      lost !== undefined
        ? text(`step.lost-${lost.what}`, { stack: lost.stack, decision: decisionText(lost.decision) })
        : absence === undefined
          ? text("step.nobody-answers")
          : absenceText(absence);
    const why = states === undefined ? silent : text("step.neighbour-state", { states: states.join(" ") });
    return text("step.no-neighbour", { address: formatAddress(address), device, why });
  },
};
