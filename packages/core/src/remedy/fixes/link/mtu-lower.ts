import { text } from "../../../messages/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { familyOf } from "../../../net/index.ts";
import { command, iptables } from "../../commands.ts";
import type { Candidate, Remedy } from "../../fix.ts";
import { isNative, ownRule } from "../../nft-commands.ts";
import { isOurs, lastOf, stackOf, stepsOf } from "../../scene.ts";

const NFT_CLAMP = ["tcp", "flags", "syn", "tcp", "option", "maxseg", "size", "set", "rt", "mtu"];

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
      const family = familyOf(leg.final.dst);
      const clamp = ["-p", "tcp", "-m", "tcp", "--tcp-flags", "SYN,RST", "SYN", "-j", "TCPMSS", "--clamp-mss-to-pmtu"];
      candidates.push({
        code: "MTU_LOWER",
        summary: text("fix.mtu_lower.clamp", { stack: stack.name }),
        commands: isNative(stack, family)
          ? ownRule(stack, family, { type: "filter", hook: "forward", priority: -150 }, NFT_CLAMP)
          : [iptables(stack, family, "mangle", "-A", "FORWARD", ...clamp)],
      });
    }
    return candidates;
  },
};
