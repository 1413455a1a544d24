import type { Packet, StepName, Unknown } from "../../model/index.ts";
import { ANY4 } from "../../net/index.ts";
import { type Branch, Connections, type Leg } from "./branch.ts";

const NO_PACKET: Packet = {
  src: ANY4,
  dst: ANY4,
  protocol: 0,
  sport: 0,
  dport: 0,
  tcpFlags: 0,
  ttl: 0,
  tos: 0,
  length: 0,
  df: false,
};

/** What was not walked, as a branch that says why: so every answer that tells of branches tells of it. */
export function unwalkedBranch(reason: Unknown, step: StepName, share: number): Branch {
  const request: Leg = {
    what: "request",
    disposition: "undetermined",
    stack: "",
    step,
    drop: null,
    decision: reason,
    origins: [],
    steps: [],
    final: NO_PACKET,
    masqueraded: false,
  };
  return {
    share,
    hypothesis: new Map(),
    request,
    reply: null,
    data: [],
    aftermath: [],
    clientSees: null,
    errno: null,
    connections: new Connections([]),
    assumptions: [],
    grounds: [],
    chances: [],
    sourcePorts: null,
  };
}
