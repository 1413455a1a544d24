import { hostText, loggedPackets } from "../../../evidence/index.ts";
import { text } from "../../../messages/index.ts";
import { isTunnel, type Origin } from "../../../model/index.ts";
import { shell } from "../../../model/shell.ts";
import { formatAddress } from "../../../net/index.ts";
import type { ClaimedCause } from "../../cause.ts";
import type { Look, Sign } from "../../sign.ts";
import { observedToFail, suspect } from "../claim.ts";

interface Diverted {
  readonly stack: string;
  readonly source: string;
  readonly first: string;
  readonly again: string;
  readonly endpoint: string;
  readonly origins: readonly Origin[];
}

/** LOG lines of a node's own packet: translated, it leaves by another device, and its source stays. */
function logged({ question, observations }: Look): Diverted | undefined {
  for (const { steps } of loggedPackets(observations.lines)) {
    const [begin, end] = [steps[0]?.line, steps[steps.length - 1]?.line];
    if (begin?.ip === undefined || end?.ip === undefined || begin.in !== undefined) continue;
    if (hostText(begin.ip.dst) !== formatAddress(question.to) || begin.ip.dport !== question.port) continue;
    const moved = hostText(end.ip.dst) !== hostText(begin.ip.dst) && hostText(end.ip.src) === hostText(begin.ip.src);
    if (!moved || begin.out === undefined || end.out === undefined || begin.out === end.out) continue;
    return {
      stack: begin.place.node,
      source: hostText(end.ip.src),
      first: begin.out,
      again: end.out,
      endpoint: hostText(end.ip.dst),
      origins: [begin.origin, end.origin],
    };
  }
  return undefined;
}

/** The same by the walk, where it ends at somebody of whom nothing was shown. */
function walked({ question, exploration }: Look): Diverted | undefined {
  for (const { request } of exploration.branches) {
    const routes = request.steps.filter((s) => s.kind === "route" && s.stack === question.client);
    const first = routes.find((s) => s.kind === "route" && s.lookup === "output");
    const again = routes.find((s) => s.kind === "route" && s.lookup === "reroute");
    if (first?.kind !== "route" || again?.kind !== "route" || request.masqueraded) continue;
    if (first.device === undefined || again.device === undefined || first.device === again.device) continue;
    if (request.final.src !== first.packet.src || request.disposition !== "delivered") continue;
    return {
      stack: question.client,
      source: formatAddress(request.final.src),
      first: first.device,
      again: again.device,
      endpoint: formatAddress(request.final.dst),
      origins: [...first.origins, ...again.origins],
    };
  }
  return undefined;
}

const isOverlay = ({ world }: Look, { stack, again }: Diverted): boolean => {
  const device = world.stacks.find((s) => s.name === stack)?.devices.items.find((d) => d.name === again);
  return device !== undefined && isTunnel(device);
};

/**
 * The node's own packet leaves by another device than its source was chosen for, and what becomes of it at the endpoint's node
 * was not shown. Guard: only where the flow was seen to fail. A second try, bound to the right device, that works speaks for it.
 */
export const divertedSource: Sign = {
  codes: ["SRC_SELECTION_MULTI_NIC", "MASQ_MISSING_NODE_TO_POD", "RP_FILTER_STRICT"],
  detect: (look) => {
    const found = observedToFail(look) ? (logged(look) ?? walked(look)) : undefined;
    if (found === undefined) return [];
    const { stack, source, first, again, endpoint, origins } = found;
    const bound = look.observations.symptoms.find(
      (s) => s.result === "ok" && s.bind === again && s.target !== undefined && s.port === look.question.port,
    );
    const certainty = bound === undefined ? "possible" : "inferred";
    const evidence = bound === undefined ? origins : [...origins, bound.origin];
    const keys = ["net.ipv4.conf.all.rp_filter", `net.ipv4.conf.${again}.rp_filter`];
    const check = { text: text("check.far-rp-filter", { device: again, endpoint }), command: shell`sysctl ${keys}` };
    const common = { evidence, certainty, step: "route", check } as const;
    const claims: ClaimedCause[] = [
      suspect({
        ...common,
        code: "SRC_SELECTION_MULTI_NIC",
        stack,
        summary: text("cause.src_selection_multi_nic", { source, first, again }),
      }),
    ];
    if (isOverlay(look, found))
      claims.push(
        suspect({
          ...common,
          code: "MASQ_MISSING_NODE_TO_POD",
          stack,
          summary: text("cause.masq_missing_node_to_pod", { stack, device: again }),
        }),
      );
    claims.push(
      suspect({
        ...common,
        certainty: "possible",
        code: "RP_FILTER_STRICT",
        stack: endpoint,
        summary: text("cause.rp_filter_strict.far", { endpoint, device: again, source }),
        step: "source validation",
      }),
    );
    return claims;
  },
};
