import type { RoutingDecision } from "../../model/index.ts";
import { text, verbatim } from "../text.ts";
import { decisionText } from "./decision.ts";
import type { Renderers } from "./render.ts";

export const routing: Renderers<RoutingDecision> = {
  "no-route": ({ errno }) => text("step.no-route", { errno }),
  "connect-fails": ({ errno }) => text("step.connect-fails", { errno }),
  "reroute-failed": ({ where, errno }) => text("step.reroute-failed", { where, errno }),
  "input-routing": ({ errno }) => text("step.input-routing", { errno }),
  unroutable: ({ errno }) => verbatim(errno),
  "forwarding-off": ({ device }) => text("step.forwarding-off", { device }),
  "forwarding6-off": () => text("step.forwarding6-off"),
  "ipv6-disabled": ({ device }) => text("step.ipv6-disabled", { device }),
  "loopback-on-wire": ({ device }) => text("step.loopback-on-wire", { device }),
  "link-local-source": () => text("step.link-local-source"),
  "anycast-tcp": () => text("step.anycast-tcp"),
  "no-way-back": ({ decision }) => text("step.no-way-back", { decision: decisionText(decision) }),
  "source-multicast": () => text("step.source-multicast"),
  "multicast-unheard": () => text("step.multicast-unheard"),
  "source-zero": () => text("step.source-zero"),
  "destination-zero": () => text("step.destination-zero"),
  "to-localnet": ({ device }) => text("step.to-localnet", { device }),
  "from-localnet": ({ device }) => text("step.from-localnet", { device }),
  "refused-source": ({ by }) => verbatim(by),
  ttl: () => text("step.ttl"),
  "handed-to-socket": () => text("step.handed-to-socket"),
  "over-mtu": () => text("step.over-mtu"),
  "too-big": ({ bytes, mtu, device }) => text("step.too-big", { bytes, mtu, device }),
  "rp-off": ({ acceptLocal }) => verbatim(acceptLocal ? "rp_filter 0, accept_local 1" : "rp_filter 0"),
  "rp-no-route-off": () => text("step.rp-no-route-off"),
  "rp-no-route": ({ errno, value }) => text("step.rp-no-route", { errno, value }),
  "rp-source-type": ({ type }) => text("step.rp-source-type", { type }),
  "rp-same-device": ({ device }) => text("step.rp-same-device", { device }),
  "rp-no-address": ({ device, back }) => text("step.rp-no-address", { device, back }),
  "rp-strict": ({ device, back }) => text("step.rp-strict", { device, back }),
  "rp-passes": ({ back, value }) => text("step.rp-passes", { back, value }),
  "own-source": ({ device }) => text("step.own-source", { device }),
};
