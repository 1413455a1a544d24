import { type Cause, stackOf, stepsOf } from "../cause.ts";

export const hairpinOff: Cause = {
  codes: ["HAIRPIN_OFF"],
  detect: ({ leg, world }) => {
    if (leg.drop !== "BRIDGE_INGRESS_PORT") return [];
    const port = stackOf(world, leg.stack)?.devices.items.find(
      (d) => leg.origins.includes(d.origin) && d.master !== undefined,
    );
    return [
      {
        code: "HAIRPIN_OFF",
        summary: `the translated packet would have to leave the bridge by the port it came in${port === undefined ? "" : ` (${port.name})`}, and hairpin mode is off there`,
        stack: leg.stack,
        evidence: leg.origins,
        ...(port !== undefined && { without: [`${leg.stack}: bridge link set dev ${port.name} hairpin on`] }),
        root: true,
      },
    ];
  },
};

/** The request was translated on a node, and the answer reaches the client by a way on which nobody translates it back. */
export const answerNotTranslated: Cause = {
  codes: ["BRIDGE_NF_OFF", "MASQ_MISSING_REMOTE_ENDPOINT"],
  detect: ({ branch, leg, world }) => {
    if (leg !== branch.reply || leg.drop !== "TCP_UNEXPECTED") return [];
    const nat = [
      ...stepsOf(branch.request, "nat").filter((s) => s.manip === "destination"),
      ...stepsOf(branch.request, "ipvs"),
    ];
    const translated = nat[0];
    if (translated === undefined || branch.request.masqueraded) return [];
    const bridged = stepsOf(leg, "bridge").find(
      (s) => s.stack === translated.stack && s.decision.startsWith("bridged"),
    );
    const hooks = stepsOf(leg, "hook").some((s) => s.stack === translated.stack);
    const origins =
      translated.kind === "nat" ? (translated.origin === undefined ? [] : [translated.origin]) : translated.origins;
    if (bridged !== undefined && !hooks) {
      const key = "net.bridge.bridge-nf-call-iptables";
      const sysctl = stackOf(world, translated.stack)?.sysctls.get(key);
      return [
        {
          code: "BRIDGE_NF_OFF",
          summary: `the answer is switched on ${bridged.bridge} without passing netfilter, so that nobody gives it back the address that was called`,
          stack: translated.stack,
          evidence: [...(sysctl === undefined ? [] : [sysctl.origin]), ...origins],
          without: [`${translated.stack}: sysctl -w ${key}=1`],
          root: true,
        },
      ];
    }
    const passes = leg.steps.some((s) => s.stack === translated.stack);
    if (passes) return [];
    return [
      {
        code: "MASQ_MISSING_REMOTE_ENDPOINT",
        summary: `${translated.stack} sends the request to an endpoint elsewhere and keeps the client's address: the answer goes straight to the client, from an address it did not call`,
        stack: translated.stack,
        evidence: origins,
        root: true,
      },
    ];
  },
};
