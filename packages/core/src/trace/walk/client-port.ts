import { portsLeft } from "../../datapath/index.ts";
import type { Port, PortSet } from "../../model/index.ts";
import { hasPorts, type PortRange } from "../../net/index.ts";
import type { Walk } from "./walk.ts";

/** How often what nobody answered is sent again: net.ipv4.tcp_syn_retries as it stands by default. */
export const RETRIES = 6;

const drawn = new WeakMap<Walk, PortSet>();

/** The one that was asked for; else any of those that the client's kernel draws from. */
export function clientPort(walk: Walk, { from, to }: PortRange): Port {
  const { sport, protocol } = walk.question;
  if (sport !== undefined) return sport;
  // What is sent again is sent from the same port.
  const before = drawn.get(walk);
  if (before !== undefined) return before;
  const port = walk.newPort("ephemeral", from, to);
  if (hasPorts(protocol)) drawn.set(walk, port);
  return port;
}

/** With which of them the walk goes as it went; null where there was no choice, or a hash of the port decided. */
export function sourcePorts(walk: Walk): readonly PortRange[] | null {
  const port = drawn.get(walk);
  return port === undefined ? null : portsLeft(walk, port);
}
