import { text } from "../../../messages/index.ts";
import type { Origin } from "../../../model/index.ts";
import { type Address, formatAddress } from "../../../net/index.ts";
import type { Look, Sign } from "../../sign.ts";
import { shownStacks, suspect } from "../claim.ts";

/** Whose real address this is: on a card of a stack that was shown, or of a Node object. */
function realOwner(
  look: Look,
  address: Address,
  than: string,
): { readonly name: string; readonly origin: Origin } | undefined {
  for (const stack of shownStacks(look)) {
    if (stack.name === than) continue;
    for (const d of stack.devices.items) {
      const has = d.kind === "dummy" ? undefined : d.addresses.find((a) => a.prefix.address === address);
      if (has !== undefined) return { name: stack.name, origin: has.origin };
    }
  }
  const node = look.world.kubernetes.nodes.find((n) => n.name !== than && n.addresses.some((a) => a === address));
  return node === undefined ? undefined : { name: node.name, origin: node.origin };
}

/** Whether the request goes no further than this stack, whoever listens there. */
const endsIn = ({ exploration: { branches } }: Look, stack: string): boolean =>
  branches.length > 0 && branches.every((b) => b.request.stack === stack);

/** An address bound on kube-ipvs0 here (an external or load balancer's address of a Service) is another machine's own. */
export const kubeIpvs0Shared: Sign = {
  codes: ["KUBE_IPVS0_ADDR_CONFLICT"],
  detect: (look) => {
    const { question } = look;
    const involved = [question.to, ...(question.bindAddress === undefined ? [] : [question.bindAddress])];
    return shownStacks(look).flatMap((stack) =>
      stack.devices.items
        .filter((d) => d.kind === "dummy")
        .flatMap((device) =>
          device.addresses.flatMap((a) => {
            const owner = involved.some((i) => i === a.prefix.address)
              ? realOwner(look, a.prefix.address, stack.name)
              : undefined;
            if (owner === undefined) return [];
            const address = formatAddress(a.prefix.address);
            const kept = a.prefix.address === question.to && endsIn(look, stack.name);
            return [
              suspect({
                code: "KUBE_IPVS0_ADDR_CONFLICT",
                stack: stack.name,
                ...(kept && { certainty: "inferred" as const, root: true as const }),
                summary: text("cause.kube_ipvs0_addr_conflict.owner", {
                  address,
                  device: device.name,
                  owner: owner.name,
                }),
                evidence: [a.origin, owner.origin],
                step: "local table",
                check: {
                  text: text("check.addresses", { address }),
                  command: "kubectl get svc -A -o wide; kubectl get nodes -o wide",
                },
              }),
            ];
          }),
        ),
    );
  },
};
