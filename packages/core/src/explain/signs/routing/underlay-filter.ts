import { type LostBetween, lostBetween, placeText } from "../../../evidence/index.ts";
import { text } from "../../../messages/index.ts";
import { isTunnel } from "../../../model/index.ts";
import { shell } from "../../../model/shell.ts";
import { formatAddress, PROTO } from "../../../net/index.ts";
import { decisiveLeg } from "../../../trace/index.ts";
import type { ClaimedCause } from "../../cause.ts";
import type { Look, Sign } from "../../sign.ts";
import { observedToFail, suspect } from "../claim.ts";
import { answeredOthers } from "../netfilter/other-sources.ts";

const NAMES: Readonly<Record<number, string>> = { [PROTO.tcp]: "TCP", [PROTO.udp]: "UDP", 4: "IPIP", 47: "GRE" };

const flowName = ({ protocol, port }: LostBetween): string =>
  `${NAMES[protocol ?? -1] ?? `protocol ${protocol ?? "?"}`}${port === undefined ? "" : ` ${port}`}`;

/** The lost packets are the asked flow's, or those of a tunnel that carries it. */
function concerns({ question, exploration }: Look, lost: LostBetween): boolean {
  if (lost.carrier) return true;
  if (isExplained(exploration, lost)) return false;
  const ends = [question.to, ...exploration.branches.map((b) => b.request.final.dst)].map(formatAddress);
  return ends.includes(lost.src) || ends.includes(lost.dst);
}

/** The walk says that this very packet is lost, and why. */
const isExplained = ({ branches }: Look["exploration"], { src, dst }: LostBetween): boolean =>
  branches.some((b) => {
    const { disposition, final } = decisiveLeg(b);
    const lost = disposition === "dropped" || disposition === "rejected";
    return lost && formatAddress(final.src) === src && formatAddress(final.dst) === dst;
  });

/**
 * The network between the nodes keeps packets back: they leave one node and do not reach the other. Guards: all of them are
 * lost (some pass: a checksum, or load); a capture inside the tunnel does not show who lost it.
 */
export const underlayFilter: Sign = {
  codes: ["UNDERLAY_FILTER"],
  detect: (look) => {
    const failed = observedToFail(look);
    const between = lostBetween(look.observations.packets, (host) => nodeOf(look, host));
    // What a tunnel loses of others it loses of the asked flow, too, whether or not that was seen.
    const lost = between.filter((l) => (failed ? concerns(look, l) : l.carrier && isCarriedBy(look, l)));
    const outside = lost.find((l) => l.carrier) ?? lost.find((l) => !insideTunnel(look, l));
    if (outside !== undefined) return [claim(look, outside, failed ? "inferred" : "possible")];
    return failed ? byOthers(look) : [];
  },
};

/** Whether the walk sends the asked flow, or its answer, in packets between the same two hosts. */
const isCarriedBy = ({ exploration }: Look, { src, dst }: LostBetween): boolean =>
  exploration.branches.some((b) =>
    [b.request, b.reply].some((leg) =>
      leg?.steps.some(({ packet }) => {
        const ends = [formatAddress(packet.src), formatAddress(packet.dst)];
        return ends.includes(src) && ends.includes(dst);
      }),
    ),
  );

/** The machine that has an address, or is called by it. */
const nodeOf = ({ world }: Look, host: string): string | undefined =>
  world.stacks.find(
    (s) =>
      s.name === host || s.devices.items.some((d) => d.addresses.some((a) => formatAddress(a.prefix.address) === host)),
  )?.name;

/** Captured on a tunnel's device: what happens to it between there and the card is not the underlay's doing alone. */
const insideTunnel = ({ world }: Look, { leftAt, missingAt }: LostBetween): boolean =>
  [leftAt, missingAt].some(({ node, device }) => {
    if (device === undefined) return false;
    const known = world.stacks.find((s) => s.name === node)?.devices.items.find((d) => d.name === device);
    return known === undefined ? /^(?:flannel|vxlan|tunl|cilium_vxlan|wg|geneve|gre)/.test(device) : isTunnel(known);
  });

/** The client's side is where its SYN was seen and no answer. */
const isClientsSide = ({ question, connections }: Look, node: string): boolean =>
  node === question.client ||
  connections.some((c) => c.outcome === "unanswered" && c.sightings.some((s) => s.place.node === node));

function claim(look: Look, lost: LostBetween, certainty: "inferred" | "possible"): ClaimedCause {
  const { src, dst, leftAt, missingAt, origins } = lost;
  const what = flowName(lost);
  const host = `host ${src}${lost.port === undefined ? "" : ` and port ${lost.port}`}`;
  return suspect({
    code: "UNDERLAY_FILTER",
    stack: missingAt.node,
    certainty,
    direction: isClientsSide(look, missingAt.node) ? "reply" : "request",
    summary: text("cause.underlay_filter.seen", {
      what,
      source: src,
      destination: dst,
      left: placeText(leftAt),
      missing: placeText(missingAt),
      sent: lost.sent,
    }),
    evidence: origins,
    step: "fabric",
    check: { text: text("check.underlay", { what, node: missingAt.node }), command: shell`tcpdump -ni any ${host}` },
  });
}

/** The connection table: the same endpoint answers one source and not another, and the packet left the node. */
function byOthers(look: Look): readonly ClaimedCause[] {
  const found = answeredOthers(look);
  if (found === undefined) return [];
  const { stack, source, other, endpoint, origins } = found;
  return [
    suspect({
      code: "UNDERLAY_FILTER",
      stack,
      summary: text("cause.underlay_filter.sources", { stack, source, other, endpoint }),
      evidence: origins,
      step: "fabric",
      check: {
        text: text("check.underlay", { what: source, node: endpoint }),
        command: shell`tcpdump -ni any host ${source}`,
      },
    }),
  ];
}
