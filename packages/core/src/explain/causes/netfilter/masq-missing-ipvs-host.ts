import { text } from "../../../messages/index.ts";
import { formatAddress } from "../../../net/index.ts";
import { argv, type Cause, hostText, iptablesFor, lastOf, on, stackOf, stepsOf } from "../../cause.ts";

/**
 * A node calls a VIP: the source becomes the VIP itself, and nothing masquerades it. No answer finds its way back, or the next node, which
 * has the VIP as well, does not let the request in.
 */
export const masqMissingIpvsHost: Cause = {
  codes: ["MASQ_MISSING_IPVS_HOST", "SRC_SELECTION_KUBE_IPVS0"],
  detect: ({ branch, leg, question, world }) => {
    const client = stackOf(world, question.client);
    const balanced = lastOf(stepsOf(branch.request, "ipvs"));
    if (client?.kind !== "node" || balanced === undefined || branch.request.masqueraded) return [];
    const refused = leg === branch.request && leg.drop === "IP_LOCAL_SOURCE" && leg.stack !== client.name;
    if (!refused && branch.reply !== leg) return [];
    const vip = balanced.before.src;
    if (vip !== question.to || question.bindAddress !== undefined) return [];
    if (!refused && leg.drop !== "FABRIC_NO_OWNER" && leg.drop !== "TCP_UNEXPECTED") return [];
    const address = formatAddress(vip);
    const holder = client.devices.items.find((d) => d.addresses.some((a) => a.prefix.address === vip));
    const bound = holder?.addresses.find((a) => a.prefix.address === vip);
    const origins = bound === undefined ? [] : [bound.origin];
    return [
      {
        code: "MASQ_MISSING_IPVS_HOST",
        summary: text("cause.masq_missing_ipvs_host", { stack: client.name, address }),
        stack: client.name,
        evidence: [...balanced.origins, ...origins],
        without: [on(client.name, argv`${iptablesFor(vip)} -t nat -A POSTROUTING -s ${hostText(vip)} -j MASQUERADE`)],
        root: true,
      },
      {
        code: "SRC_SELECTION_KUBE_IPVS0",
        summary: text("cause.src_selection_kube_ipvs0", { address, device: holder?.name ?? "lo" }),
        stack: client.name,
        evidence: origins,
        root: true,
      },
    ];
  },
};
