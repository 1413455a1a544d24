import { text } from "../../../messages/index.ts";
import type { Origin, Stack } from "../../../model/index.ts";
import { formatAddress } from "../../../net/index.ts";
import type { ClaimedCause } from "../../cause.ts";
import type { Look, Sign } from "../../sign.ts";
import { fails, leavesNode, observedToFail, shownStacks, suspect } from "../claim.ts";

/** Nodes that registered one address for their tunnels, which is not the one the cluster knows them by. */
function sharedAddresses(look: Look): readonly ClaimedCause[] {
  const byAddress = new Map<string, { readonly name: string; readonly origin: Origin }[]>();
  for (const { name, flannel } of look.world.kubernetes.nodes) {
    if (flannel?.publicAddress === undefined) continue;
    const address = formatAddress(flannel.publicAddress);
    byAddress.set(address, [...(byAddress.get(address) ?? []), { name, origin: flannel.origin }]);
  }
  return [...byAddress].flatMap(([address, nodes]) => {
    const names = [...new Set(nodes.map((n) => n.name))];
    if (names.length < 2) return [];
    const summary = text("cause.wrong_underlay_interface.shared", { nodes: names, address });
    return [
      claim(
        look,
        names[0] ?? "",
        summary,
        nodes.map((n) => n.origin),
      ),
    ];
  });
}

/** A tunnel whose far end is an address of this very node. */
const toItself = (look: Look): readonly ClaimedCause[] =>
  shownStacks(look).flatMap((stack) =>
    stack.devices.items
      .filter((d) => d.kind === "vxlan")
      .flatMap((device) => {
        const own = ownAddresses(stack, device.tunnel?.local);
        const entry = stack.fdb.items.find(
          (e) =>
            e.device === device.name &&
            e.mac !== device.mac &&
            e.destination !== undefined &&
            own.some((a) => a === (e.destination ?? 0)),
        );
        if (entry?.destination === undefined) return [];
        const summary = text("cause.wrong_underlay_interface.itself", {
          stack: stack.name,
          device: device.name,
          address: formatAddress(entry.destination),
        });
        return [claim(look, stack.name, summary, [entry.origin, device.origin])];
      }),
  );

const ownAddresses = (
  stack: Stack,
  local: Stack["devices"]["items"][number]["addresses"][number]["prefix"]["address"] | undefined,
) => [
  ...stack.devices.items.flatMap((d) => d.addresses.map((a) => a.prefix.address)),
  ...(local === undefined ? [] : [local]),
];

/** A node whose tunnels begin at another address than the one the cluster knows it by. */
const notInternal = (look: Look): readonly ClaimedCause[] =>
  look.world.kubernetes.nodes.flatMap(({ name, addresses, flannel }) => {
    const published = flannel?.publicAddress;
    if (published === undefined || addresses.length === 0) return [];
    if (addresses.some((a) => a === published)) return [];
    const summary = text("cause.wrong_underlay_interface.other", {
      node: name,
      address: formatAddress(published),
      internal: addresses.map(formatAddress),
    });
    return [claim(look, name, summary, [flannel?.origin ?? { kind: "assumed", rule: "" }])];
  });

const claim = (
  look: Look,
  stack: string,
  summary: ClaimedCause["summary"],
  evidence: readonly Origin[],
): ClaimedCause =>
  suspect({
    code: "WRONG_UNDERLAY_INTERFACE",
    stack,
    certainty: observedToFail(look) || fails(look) ? "inferred" : "possible",
    summary,
    evidence,
    step: "vxlan",
    check: { text: text("check.tunnel-ends"), command: "ip -d link show type vxlan; bridge fdb show" },
  });

/** Tunnels were set up on a card that does not lead to the other nodes, as the one with the default route often is. */
export const wrongUnderlayInterface: Sign = {
  codes: ["WRONG_UNDERLAY_INTERFACE"],
  detect: (look) => {
    if (!leavesNode(look)) return [];
    const strong = [...toItself(look), ...sharedAddresses(look)];
    return (strong.length > 0 ? strong : notInternal(look)).slice(0, 1);
  },
};
