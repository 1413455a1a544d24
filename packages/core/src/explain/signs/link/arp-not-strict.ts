import { text } from "../../../messages/index.ts";
import { shell } from "../../../model/shell.ts";
import { contains, formatAddress } from "../../../net/index.ts";
import type { Sign } from "../../sign.ts";
import { shownStacks, suspect } from "../claim.ts";

/**
 * Several nodes have the address on a dummy device and may answer ARP for it: who gets a client's packets is a race.
 * Guards: a node that sets arp_ignore does not answer, nor does one whose cards are in another network.
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
    const [first] = holders;
    if (first === undefined || holders.length < 2) return [];
    return [
      suspect({
        code: "ARP_NOT_STRICT",
        stack: first.stack,
        summary: text("cause.arp_not_strict", { stacks: holders.map((h) => h.stack) }),
        evidence: holders.map((h) => h.origin),
        step: "arp",
        check: { text: text("check.arp"), command: shell`arping -c 3 ${formatAddress(to)}` },
      }),
    ];
  },
};
