import { text } from "../../../messages/index.ts";
import type { Origin } from "../../../model/index.ts";
import { shell } from "../../../model/shell.ts";
import { type Address, contains, formatAddress, type Mac } from "../../../net/index.ts";
import type { ClaimedCause } from "../../cause.ts";
import type { Look, Sign } from "../../sign.ts";
import { shownStacks, suspect } from "../claim.ts";

/**
 * Several nodes have the address on a dummy device and may answer ARP for it: who gets a client's packets is a race.
 * Guards: a node that sets arp_ignore does not answer, nor does one whose cards are in another network. Answers of two MACs that were seen are enough.
 */
export const arpNotStrict: Sign = {
  codes: ["ARP_NOT_STRICT"],
  detect: (look) => {
    const { to } = look.question;
    const holders = shownStacks(look).flatMap((stack) => {
      const address = stack.devices.items
        .filter((d) => d.kind === "dummy")
        .flatMap((d) => d.addresses)
        .find((a) => a.prefix.address === to);
      const onLink = stack.devices.items.some(
        (d) => d.kind !== "dummy" && d.addresses.some((a) => a.prefix.length < 32 && contains(a.prefix, to)),
      );
      const ignores = [...stack.sysctls.values()].some((e) => e.key.endsWith(".arp_ignore") && Number(e.value) > 0);
      return address === undefined || !onLink || ignores ? [] : [{ stack: stack.name, origin: address.origin }];
    });
    const seen = answersFor(look, to);
    const [first] = holders;
    if (first === undefined || holders.length < 2) return seen.length < 2 ? [] : [claimSeen(look, seen)];
    return [
      suspect({
        code: "ARP_NOT_STRICT",
        stack: first.stack,
        summary: text("cause.arp_not_strict", { stacks: holders.map((h) => h.stack) }),
        evidence: [...holders.map((h) => h.origin), ...(seen.length < 2 ? [] : seen.map((s) => s.origin))],
        step: "arp",
        check: { text: text("check.arp"), command: shell`arping -c 3 ${formatAddress(to)}` },
      }),
    ];
  },
};

interface Answer {
  readonly mac: Mac;
  readonly origin: Origin;
}

/** The first answer of each MAC that said it has the address, in a capture or to arping. */
function answersFor({ observations }: Look, to: Address): readonly Answer[] {
  const answers = observations.packets.flatMap(({ arp, origin }): Answer[] =>
    arp?.operation === "reply" && arp.mac !== undefined && arp.sender === to ? [{ mac: arp.mac, origin }] : [],
  );
  return answers.filter((a, i) => answers.findIndex((b) => b.mac === a.mac) === i);
}

const claimSeen = ({ question: { to, client } }: Look, seen: readonly Answer[]): ClaimedCause =>
  suspect({
    code: "ARP_NOT_STRICT",
    stack: client,
    summary: text("cause.arp_not_strict.seen", { address: formatAddress(to), macs: seen.map((s) => s.mac).join(", ") }),
    evidence: seen.map((s) => s.origin),
    step: "arp",
    check: {
      text: text("check.arp-holders"),
      command: shell`ip -o addr show to ${formatAddress(to)}; sysctl net.ipv4.conf.all.arp_ignore`,
    },
  });
