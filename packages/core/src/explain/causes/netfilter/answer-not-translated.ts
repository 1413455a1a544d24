import { text } from "../../../messages/index.ts";
import { isIpv4 } from "../../../net/index.ts";
import { argv, type Cause, hostText, iptablesFor, lastOf, on, stackOf, stepsOf } from "../../cause.ts";

const bridgeNf = (four: boolean): string => `net.bridge.bridge-nf-call-ip${four ? "" : "6"}tables`;

/** The request was translated on a node, and the answer reaches the client by a way on which nobody translates it back. */
export const answerNotTranslated: Cause = {
  codes: ["BRIDGE_NF_OFF", "MASQ_MISSING_REMOTE_ENDPOINT"],
  detect: ({ branch, leg, world }) => {
    if (leg !== branch.reply || leg.drop !== "TCP_UNEXPECTED") return [];
    const translated = [
      ...stepsOf(branch.request, "nat").filter((s) => s.manip === "destination"),
      ...stepsOf(branch.request, "ipvs"),
    ][0];
    if (translated === undefined || branch.request.masqueraded) return [];
    const { stack } = translated;
    const bridged = stepsOf(leg, "bridge").find((s) => s.stack === stack && s.action === "forward");
    const hooks = stepsOf(leg, "hook").some((s) => s.stack === stack);
    const origins =
      translated.kind === "nat" ? (translated.origin === undefined ? [] : [translated.origin]) : translated.origins;
    if (bridged !== undefined && !hooks) {
      const key = bridgeNf(isIpv4(translated.packet.dst));
      const sysctl = stackOf(world, stack)?.sysctls.get(key);
      return [
        {
          code: "BRIDGE_NF_OFF",
          summary: text("cause.bridge_nf_off", { bridge: bridged.bridge }),
          stack,
          evidence: [...(sysctl === undefined ? [] : [sysctl.origin]), ...origins],
          without: [on(stack, argv`sysctl -w ${key}=1`)],
          root: true,
        },
      ];
    }
    if (leg.steps.some((s) => s.stack === stack)) return [];
    const summary = text("cause.masq_missing_remote_endpoint", { stack });
    const { src, dst } = translated.packet;
    const masquerade = argv`${iptablesFor(src)} -t nat -I POSTROUTING -s ${hostText(src)} -d ${hostText(dst)} -j MASQUERADE`;
    const without = [on(stack, masquerade)];
    // Where an endpoint that nobody showed stands, and so which way it answers, is assumed, unless it is sent to by another machine.
    const sender = stackOf(world, leg.steps[0]?.stack ?? "");
    const onward = lastOf(stepsOf(branch.request, "route").filter((s) => s.stack === stack))?.gateway;
    const placed = sender?.assumed === undefined || sender.node !== undefined || onward !== undefined;
    const most = placed ? {} : { most: "inferred" as const };
    return [{ code: "MASQ_MISSING_REMOTE_ENDPOINT", summary, stack, evidence: origins, without, root: true, ...most }];
  },
};
