import { text } from "../../../messages/index.ts";
import type { Device } from "../../../model/index.ts";
import { type Address, formatAddress, isIpv4 } from "../../../net/index.ts";
import { type Leg, legsOf } from "../../../trace/index.ts";
import { type ClaimedCause, stackOf } from "../../cause.ts";
import type { Look, Sign } from "../../sign.ts";
import { suspect } from "../claim.ts";

/**
 * A permanent neighbour has another MAC than the host that has its address: the frame is for somebody else. Guards: whoever has that MAC may be a router
 * that passes it on, so that it stays a suspicion; entries that were learnt are not looked at, a cloud answers with MACs of its own.
 */
export const fixedNeighbour: Sign = {
  codes: ["NEIGHBOUR_FAILED"],
  detect: (look) => {
    const found = look.exploration.branches.flatMap((branch) =>
      legsOf(branch).flatMap((leg) => claim(look, leg, leg === branch.reply ? "reply" : "request")),
    );
    return [...new Map(found.map((c) => [`${c.stack} ${c.check?.command}`, c])).values()];
  },
};

function claim({ world }: Look, { decision, stack }: Leg, direction: "request" | "reply"): readonly ClaimedCause[] {
  if (decision.kind !== "unknown-neighbour") return [];
  const { mac, address } = decision;
  const entry = stackOf(world, stack)?.neighbours.items.find((n) => n.address === address && n.mac === mac);
  const holder = world.stacks.find((s) => s.name !== stack && s.devices.items.some((d) => has(d, address)));
  const device = holder?.devices.items.find((d) => has(d, address));
  if (entry === undefined || holder === undefined || device === undefined) return [];
  const at = { address: formatAddress(address), mac };
  return [
    suspect({
      code: "NEIGHBOUR_FAILED",
      stack,
      direction,
      root: true,
      summary: text("cause.neighbour_failed.fixed", { ...at, stack, holder: holder.name, own: device.mac ?? "" }),
      evidence: [entry.origin, device.origin],
      step: "neighbour",
      check: {
        text: text("check.fixed-neighbour", at),
        command: `ping${isIpv4(address) ? "" : " -6"} -c 3 ${at.address}`,
      },
    }),
  ];
}

const has = ({ addresses, mac }: Device, address: Address): boolean =>
  mac !== undefined && addresses.some((a) => a.prefix.address === address);
