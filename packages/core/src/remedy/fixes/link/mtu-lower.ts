import { text } from "../../../messages/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { familyOf } from "../../../net/index.ts";
import { command, iptables } from "../../commands.ts";
import type { Candidate, Remedy } from "../../fix.ts";
import { isOurs, lastOf, stackOf, stepsOf } from "../../scene.ts";

/** The sender makes packets that fit the narrowest device on their way; or TCP is told so when it begins. */
export const mtuLower: Remedy = {
  code: "MTU_LOWER",
  cures: ["MTU_BLACKHOLE"],
  propose: ({ leg, stack, world }) => {
    if (leg.drop !== "PKT_TOO_BIG") return [];
    const sent = leg.steps.find((s) => s.kind === "transmit");
    const sender = stackOf(world, sent?.stack ?? "");
    const narrow = stack?.devices.items.find(
      (d) => leg.origins.includes(d.origin) || d.name === lastOf(stepsOf(leg, "route"))?.device,
    );
    const mtu = narrow?.mtu;
    if (sent?.kind !== "transmit" || mtu === undefined) return [];
    const candidates: Candidate[] = [];
    if (isOurs(sender) && sender.devices.items.some((d) => d.name === sent.device)) {
      candidates.push({
        code: "MTU_LOWER",
        summary: text("fix.mtu_lower", { device: sent.device, stack: sender.name, mtu }),
        commands: [command(sender.name, ["ip", "link", "set", "dev", nameWord(sent.device), "mtu", String(mtu)])],
        lasting: [{ how: text("lasting.cni_mtu"), lines: [`"mtu": ${mtu}`] }],
      });
    }
    if (isOurs(stack)) {
      const clamp = ["-p", "tcp", "-m", "tcp", "--tcp-flags", "SYN,RST", "SYN", "-j", "TCPMSS", "--clamp-mss-to-pmtu"];
      candidates.push({
        code: "MTU_LOWER",
        summary: text("fix.mtu_lower.clamp", { stack: stack.name }),
        commands: [iptables(stack, familyOf(leg.final.dst), "mangle", "-A", "FORWARD", ...clamp)],
      });
    }
    return candidates;
  },
};
