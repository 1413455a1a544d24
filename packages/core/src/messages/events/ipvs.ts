import type { IpvsDecision, ServerAddress } from "../../model/index.ts";
import { formatEndpoint } from "../../net/index.ts";
import { text } from "../text.ts";
import { portText, type Renderers } from "./render.ts";

const server = (s: ServerAddress): string => formatEndpoint(s.address, portText(s.port));

export const ipvs: Renderers<IpvsDecision> = {
  "ipvs-stays": () => text("step.ipvs-stays"),
  "ipvs-to": (d) => text("step.ipvs-to", { server: server(d.server) }),
  "ipvs-to-drained": (d) => text("step.ipvs-to-drained", { server: server(d.server) }),
  "ipvs-handed": (d) => text("step.ipvs-handed", { server: server(d.server) }),
  "ipvs-icmp-to": (d) => text("step.ipvs-icmp-to", { server: server(d.server) }),
  "ipvs-icmp-local": () => text("step.ipvs-icmp-local"),
  "ipvs-no-route": () => text("step.ipvs-no-route"),
  "ipvs-to-localnet": () => text("step.ipvs-to-localnet"),
  "ipvs-from-localnet": () => text("step.ipvs-from-localnet"),
  "ipvs-stale": () => text("step.ipvs-stale"),
  "ipvs-removed": () => text("step.ipvs-removed"),
  "ipvs-empty": () => text("step.ipvs-empty"),
  "ipvs-answer": (d) => text("step.ipvs-answer", { server: server(d.server) }),
  "ipvs-icmp-answer": () => text("step.ipvs-icmp-answer"),
};
