import { text } from "../../../messages/index.ts";
import { type IpvsStep, isLocalChain, type NatStep, proxyChain, type Stack, type Step } from "../../../model/index.ts";
import { shell } from "../../../model/shell.ts";
import { formatAddress } from "../../../net/index.ts";
import type { Branch } from "../../../trace/index.ts";
import type { Look, Sign } from "../../sign.ts";
import { shownStacks, suspect } from "../claim.ts";

const CARDS: ReadonlySet<string> = new Set(["ethernet", "bond", "vlan", "team", "unknown"]);

const isCard = (stack: Stack, name: string): boolean =>
  stack.devices.items.some((d) => d.name === name && CARDS.has(d.kind));

const isTranslation = (s: Step, stack: string): s is NatStep | IpvsStep =>
  s.stack === stack && ((s.kind === "nat" && s.manip === "destination") || s.kind === "ipvs");

/** Comes in by a card of the node, is translated there, and leaves by a card again, source kept. */
function passesOn(stack: Stack, { request }: Branch): NatStep | IpvsStep | undefined {
  if (request.masqueraded) return undefined;
  const came = request.steps.findIndex(
    (s) => s.kind === "receive" && s.stack === stack.name && isCard(stack, s.device),
  );
  const at = request.steps.findIndex((s, i) => i > came && isTranslation(s, stack.name));
  const left = request.steps.some(
    (s, i) => i > at && s.kind === "transmit" && s.stack === stack.name && isCard(stack, s.device),
  );
  const step = came < 0 || at < 0 || !left ? undefined : request.steps[at];
  return step !== undefined && isTranslation(step, stack.name) ? step : undefined;
}

/** kube-proxy serves it by the policy Local: without masquerade, for endpoints of this node only. */
const isLocalPolicy = ({ question }: Look, stack: Stack, { request }: Branch): boolean =>
  request.steps.some(
    (s) => s.kind === "rule" && s.stack === stack.name && (isLocalChain(s.chain) || proxyChain(s.chain) === "external"),
  ) ||
  stack.ipsets.items.some(
    (set) =>
      /-LOCAL(?:-|$)/.test(set.name) &&
      set.entries.some((e) =>
        e.parts.every(
          (part) =>
            (part.kind === "address" && part.from === question.to) ||
            (part.kind === "port" && part.from === question.port),
        ),
      ),
  );

/**
 * A client from outside, sent on to an endpoint on another node with its own address: only an answer that comes back by this node is
 * translated again, and nothing shows that it does. Guards: kube-proxy must serve it by the policy Local; a far
 * node that was shown says itself where its answer goes.
 */
export const masqMissingRemoteEndpoint: Sign = {
  codes: ["MASQ_MISSING_REMOTE_ENDPOINT"],
  detect: (look: Look) => {
    const client = look.world.stacks.find((s) => s.name === look.question.client);
    if (client?.assumed !== "outside") return [];
    for (const stack of shownStacks(look)) {
      for (const branch of look.exploration.branches) {
        const step = branch.clientSees === "connected" ? passesOn(stack, branch) : undefined;
        if (step === undefined) continue;
        const endpoint = formatAddress(step.packet.dst);
        const known = look.world.stacks.some(
          (s) => s.assumed === undefined && s.name !== stack.name && s.kind === "node",
        );
        if (known || !isLocalPolicy(look, stack, branch)) continue;
        const evidence = step.kind === "nat" ? (step.origin === undefined ? [] : [step.origin]) : step.origins;
        return [
          suspect({
            code: "MASQ_MISSING_REMOTE_ENDPOINT",
            stack: stack.name,
            direction: "reply",
            summary: text("cause.masq_missing_remote_endpoint.outside", { stack: stack.name, endpoint }),
            evidence,
            step: step.kind,
            check: {
              text: text("check.answer-way", { endpoint }),
              command: shell`tcpdump -ni any src host ${endpoint}`,
            },
          }),
        ];
      }
    }
    return [];
  },
};
