import { text } from "../../../messages/index.ts";
import { formatAddress, protocolName } from "../../../net/index.ts";
import { command } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs, stackOf, stepsOf } from "../../scene.ts";

/** The entry that decides for this flow is deleted; the next packet asks the rules. */
export const conntrackForget: Remedy = {
  code: "CONNTRACK_FORGET",
  cures: ["CONNTRACK_STALE_UDP"],
  propose: ({ branch, world }) => {
    const attached = stepsOf(branch.request, "conntrack").find((s) => s.action === "attach" && s.origin !== undefined);
    const stack = stackOf(world, attached?.stack ?? "");
    const entry = stack?.conntrack.items.find((e) => e.origin === attached?.origin)?.original;
    if (!isOurs(stack) || entry === undefined) return [];
    const { src, dst, sport, dport, protocol } = entry;
    const ends = ["-s", formatAddress(src), "-d", formatAddress(dst), "--sport", `${sport}`, "--dport", `${dport}`];
    return [
      {
        code: "CONNTRACK_FORGET",
        summary: text("fix.conntrack_forget", { address: formatAddress(dst), stack: stack.name }),
        commands: [command(stack.name, ["conntrack", "-D", "-p", protocolName(protocol), ...ends])],
      },
    ];
  },
};
