import { text } from "../../../messages/index.ts";
import { familyOf, formatAddress, formatPrefix, isHost, networkOf } from "../../../net/index.ts";
import { calledWords, flowWords, iptables } from "../../commands.ts";
import type { Candidate, Remedy, RemedyScene } from "../../fix.ts";
import { isOurs, sourceNat, stackOf } from "../../scene.ts";

/** A masquerade that the flow does not need, and that sends the answer where it is refused. */
export const exemptFromMasquerade: Remedy = {
  code: "EXEMPT_FROM_MASQUERADE",
  cures: [
    "MASQ_TOO_MUCH",
    "MARTIAN_LOCAL_SOURCE",
    "SRC_SELECTION_MASQUERADE",
    "POLICY_ROUTE_POD_SOURCE",
    "NAT_PORT_REWRITE",
    "NETWORK_POLICY_DROP",
  ],
  propose: (scene) => {
    const { branch, world, question } = scene;
    const nat = sourceNat(branch.request);
    const stack = nat === undefined ? undefined : stackOf(world, nat.stack);
    if (nat === undefined || nat.hook !== "POSTROUTING" || !isOurs(stack)) return [];
    const candidate = (words: readonly string[]): Candidate => ({
      code: "EXEMPT_FROM_MASQUERADE",
      summary: text("fix.exempt_from_masquerade", {
        stack: stack.name,
        source: formatAddress(nat.before.src),
        address: formatAddress(question.to),
      }),
      commands: [iptables(stack, familyOf(question.to), "nat", "-I", "POSTROUTING", ...words, "-j", "ACCEPT")],
    });
    const called = nat.before.dst === question.to;
    const neighbours = called ? neighbourhood(scene) : undefined;
    const words = flowWords(world, nat.before, "request");
    const from = words[0] === "-s" ? words.slice(0, 2) : [];
    const rest = words.slice(from.length);
    return [
      ...(neighbours === undefined ? [] : [candidate(["-s", neighbours, ...rest])]),
      ...(called ? [] : [candidate([...from, ...calledWords(question.to, question.port, question.protocol)])]),
      candidate(words),
    ];
  },
};

/** The network of a client on a bridge: all its neighbours have the same trouble. */
function neighbourhood({ world, question, branch }: RemedyScene): string | undefined {
  const client = stackOf(world, question.client);
  if (client?.kind !== "vm" && client?.kind !== "client") return undefined;
  const sent = branch.request.steps.find((s) => s.kind === "send")?.packet.src;
  const address = client.devices.items
    .flatMap((d) => d.addresses)
    .find((a) => sent !== undefined && a.prefix.address === sent && !isHost(a.prefix));
  return address === undefined ? undefined : formatPrefix(networkOf(address.prefix));
}
