import {
  type ArpFrame,
  arpProcess,
  FABRIC_MAC,
  type Kernel,
  macOf,
  mayKeepQuiet,
  newSkb,
  passesArp,
  type Skb,
} from "../../datapath/index.ts";
import type { LostDiscovery } from "../../model/index.ts";
import { type Address, ANY4, ZERO_MAC } from "../../net/index.ts";
import type { Attachment, Topology } from "../hosts/topology.ts";

/** Steps of packets that belong to no leg (an ARP request being validated) are not kept. */
const NO_LEG = -1;

/** What came of an ARP request: who answered and is heard, who learnt the asker's address, and what a rule dropped of it. */
export interface ArpExchange {
  readonly answering: readonly Attachment[];
  /** Whether an entry that is already there for the asker is updated, or one is made. */
  readonly heardBy: readonly { readonly port: Attachment; readonly learns: "always" | "updates" }[];
  readonly lost?: LostDiscovery;
}

/**
 * One request and its answers: arp_solicit() sends, arp_process() answers, and chains of nft's arp family see both at either end. Who answers
 * a request learns its sender from it, also if the answer gets lost; whoever has an entry for the sender updates it.
 */
export function arpExchange(
  topology: Topology,
  { kernel, device }: Attachment,
  target: Address,
  sender: Address | undefined,
  skb: Skb,
  isThere: (kernel: Kernel) => boolean,
): ArpExchange {
  const own = macOf(kernel.name, device);
  const ends = { sender: sender ?? ANY4, target };
  const request: ArpFrame = { operation: "request", senderMac: own, targetMac: ZERO_MAC, ...ends };
  const sent = passesArp(kernel, "OUTPUT", device, request);
  const probe: Skb = newSkb(NO_LEG, skb.packet);
  const asked = topology
    .domain(kernel, device)
    .receivers.filter((p) => sent && !(p.kernel === kernel && p.device === device))
    .filter((p) => passesArp(p.kernel, "INPUT", p.device, request))
    .map((port) => ({ port, fate: arpProcess(port.kernel, port.device, target, sender, probe) }));
  let { lost } = request;
  const isHeard = (p: Attachment): boolean => {
    const reply: ArpFrame = {
      operation: "reply",
      senderMac: macOf(p.kernel.name, p.device),
      targetMac: own,
      sender: target,
      target: ends.sender,
    };
    const heard = passesArp(p.kernel, "OUTPUT", p.device, reply) && passesArp(kernel, "INPUT", device, reply);
    lost ??= reply.lost;
    return heard;
  };
  const answering = asked
    .filter((p) => p.fate === "answered")
    .map((p) => p.port)
    .filter((p) => topology.reaches(p, kernel, device) && isHeard(p))
    .filter((p) => p.kernel.stack.assumed === undefined || isThere(p.kernel))
    .filter((p, _, all) => all.length === 1 || !mayKeepQuiet(p.kernel, p.device, target));
  const heardBy = asked.flatMap(({ port, fate }) => {
    const answered =
      answering.includes(port) ||
      (fate === "answered" && (lost?.what === "reply" || !topology.reaches(port, kernel, device)));
    return answered || fate !== "quiet"
      ? [{ port, learns: answered ? ("always" as const) : ("updates" as const) }]
      : [];
  });
  return { answering, heardBy, ...(lost !== undefined && { lost }) };
}

/** What becomes of the answer of somebody whom nobody showed, where it comes in: the rule that drops it. */
export function unheardAnswer(
  { kernel, device }: Attachment,
  target: Address,
  sender: Address | undefined,
): LostDiscovery | undefined {
  const targetMac = macOf(kernel.name, device);
  const ends = { sender: target, target: sender ?? ANY4 };
  const reply: ArpFrame = { operation: "reply", senderMac: FABRIC_MAC, targetMac, ...ends };
  passesArp(kernel, "INPUT", device, reply);
  return reply.lost;
}
