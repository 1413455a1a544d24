import type { SocketDecision } from "../../model/index.ts";
import { text } from "../text.ts";
import { packetName } from "./places.ts";
import type { Renderers } from "./render.ts";

export const socket: Renderers<SocketDecision> = {
  asks: () => text("step.asks"),
  sends: ({ what }) => packetName(what),
  "nobody-listens": () => text("step.nobody-listens"),
  "protocol-unserved": () => text("step.protocol-unserved"),
  "socket-takes": () => text("step.socket-takes"),
  "ping-ignored": () => text("step.ping-ignored"),
  "client-accepts": () => text("step.client-accepts"),
  "client-expects-other": () => text("step.client-expects-other"),
  "client-learns": () => text("step.client-learns"),
  "client-no-socket": () => text("step.client-no-socket"),
  "connection-changed": () => text("step.connection-changed"),
  "lost-track": () => text("step.lost-track"),
  delivered: () => text("step.delivered"),
};
