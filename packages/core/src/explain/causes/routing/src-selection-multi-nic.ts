import { text } from "../../../messages/index.ts";
import { type Device, isTunnel, type RouteStep, type Stack } from "../../../model/index.ts";
import { familyOf, formatAddress, isIpv4 } from "../../../net/index.ts";
import { argv, type Cause, hostText, iptablesFor, on, type Scene, stackOf, stepsOf } from "../../cause.ts";

interface Diverted {
  readonly client: Stack;
  readonly first: RouteStep & { readonly device: string };
  readonly again: RouteStep & { readonly device: string };
  readonly egress: Device | undefined;
  readonly source: string;
}

/** Devices that carry pods' packets to other nodes. */

const REFUSED: ReadonlySet<string> = new Set(["IP_RPFILTER", "FABRIC_SRC_DST_CHECK", "IP_INNOROUTES"]);

/**
 * A node's own packet whose source was chosen for the route of the address that was called, that DNAT then sent out of
 * another device, and whose source nothing translated.
 */
function divertedOf({ branch, leg, question, world }: Scene): Diverted | undefined {
  const client = stackOf(world, question.client);
  if (!REFUSED.has(leg.drop ?? "") || client?.kind !== "node" || branch.request.masqueraded) return undefined;
  const routes = stepsOf(branch.request, "route").filter((s) => s.stack === client.name);
  const first = routes.find((s) => s.lookup === "output");
  const again = routes.find((s) => s.lookup === "reroute");
  if (first?.device === undefined || again?.device === undefined || first.device === again.device) return undefined;
  return {
    client,
    first: { ...first, device: first.device },
    again: { ...again, device: again.device },
    egress: client.devices.items.find((d) => d.name === again.device),
    source: formatAddress(branch.request.final.src),
  };
}

/** The called address is routed by one device, the endpoint by another. */
export const sourceSelectionMultiNic: Cause = {
  codes: ["SRC_SELECTION_MULTI_NIC"],
  detect: (scene) => {
    const diverted = divertedOf(scene);
    if (diverted === undefined) return [];
    const { client, first, again, source, egress } = diverted;
    const own = egress?.addresses.find(
      (a) => familyOf(a.prefix.address) === familyOf(scene.question.to) && a.scope === "global",
    )?.prefix.address;
    const via = again.gateway === undefined ? [] : ["via", formatAddress(again.gateway)];
    const route =
      own === undefined
        ? undefined
        : [
            ...argv`ip route add ${hostText(scene.question.to)}`,
            ...via,
            ...argv`dev ${again.device} src ${formatAddress(own)}`,
          ];
    return [
      {
        code: "SRC_SELECTION_MULTI_NIC",
        summary: text("cause.src_selection_multi_nic", { source, first: first.device, again: again.device }),
        stack: client.name,
        evidence: [...first.origins, ...again.origins],
        ...(route !== undefined && { without: [on(client.name, route)] }),
        root: true,
      },
    ];
  },
};

/** A card and an overlay: what the node itself sends into the overlay carries the card's address. */
export const masqMissingNodeToPod: Cause = {
  codes: ["MASQ_MISSING_NODE_TO_POD"],
  detect: (scene) => {
    const diverted = divertedOf(scene);
    if (diverted === undefined || diverted.egress === undefined || !isTunnel(diverted.egress)) return [];
    const { client, again, source } = diverted;
    const masquerade = argv`${iptablesFor(scene.question.to)} -t nat -A POSTROUTING -s ${source}/${isIpv4(scene.question.to) ? 32 : 128} -o ${again.device} -j MASQUERADE`;
    return [
      {
        code: "MASQ_MISSING_NODE_TO_POD",
        summary: text("cause.masq_missing_node_to_pod", { stack: client.name, device: again.device }),
        stack: client.name,
        evidence: again.origins,
        without: [on(client.name, masquerade)],
        root: true,
      },
    ];
  },
};
