import { text } from "../../../messages/index.ts";
import type { Origin } from "../../../model/index.ts";
import { formatAddress } from "../../../net/index.ts";
import { argv, type Cause, type Finding, on, type Scene, stackOf } from "../../cause.ts";
import { martianOf } from "../routing/martian-local-source.ts";

/** An address that kube-proxy bound on its dummy device is somebody else's: who sends from it, or whom it was sent to. */
export const kubeIpvs0AddrConflict: Cause = {
  codes: ["KUBE_IPVS0_ADDR_CONFLICT"],
  detect: (scene) => {
    const kept = keptForItself(scene);
    if (kept !== undefined) return [kept];
    const martian = martianOf(scene);
    if (martian?.holder?.kind !== "dummy" || scene.direction !== "request") return [];
    // A node that calls a virtual address it has itself sends from it: nobody's own address is bound there.
    if (hasOnDummy(scene, scene.question.client)) return [];
    // A virtual address that the sender has on a dummy device itself is everybody's: it should not have sent from it.
    const sender = stackOf(scene.world, scene.question.client);
    const own = sender?.devices.items.filter((d) => d.kind === "dummy").flatMap((d) => d.addresses) ?? [];
    if (own.some((a) => a.prefix.address === scene.leg.final.src)) return [];
    const { source: address, holder, evidence } = martian;
    const summary = text("cause.kube_ipvs0_addr_conflict", { address, device: holder.name });
    return [{ code: "KUBE_IPVS0_ADDR_CONFLICT", summary, stack: scene.leg.stack, evidence, root: true }];
  },
};

const hasOnDummy = ({ world, leg }: Scene, stack: string): boolean =>
  stackOf(world, stack)?.devices.items.some(
    (d) => d.kind === "dummy" && d.addresses.some((a) => a.prefix.address === leg.final.src),
  ) === true;

/** A packet for another machine ends in the stack that sends or forwards it, which has the address on a dummy device. */
function keptForItself({ leg, branch, world }: Scene): Finding | undefined {
  if (leg !== branch.request) return undefined;
  const { dst } = leg.final;
  const device = stackOf(world, leg.stack)?.devices.items.find(
    (d) => d.kind === "dummy" && d.addresses.some((a) => a.prefix.address === dst),
  );
  const bound = device?.addresses.find((a) => a.prefix.address === dst);
  const owner = device === undefined ? undefined : ownerOf(world, leg.stack, dst);
  if (device === undefined || bound === undefined || owner === undefined) return undefined;
  const address = formatAddress(dst);
  return {
    code: "KUBE_IPVS0_ADDR_CONFLICT",
    summary: text("cause.kube_ipvs0_addr_conflict.kept", {
      stack: leg.stack,
      address,
      device: device.name,
      owner: owner.name,
    }),
    stack: leg.stack,
    evidence: [bound.origin, owner.origin],
    without: [on(leg.stack, argv`ip addr del ${address}/${bound.prefix.length} dev ${device.name}`)],
    root: true,
  };
}

/** The node whose own address it is, by its cards or its object. */
function ownerOf(
  world: Scene["world"],
  than: string,
  address: Scene["leg"]["final"]["dst"],
): { readonly name: string; readonly origin: Origin } | undefined {
  for (const stack of world.stacks) {
    if (stack.name === than || stack.assumed !== undefined) continue;
    const has = stack.devices.items
      .filter((d) => d.kind !== "dummy" && d.kind !== "loopback")
      .flatMap((d) => d.addresses)
      .find((a) => a.prefix.address === address);
    if (has !== undefined) return { name: stack.name, origin: has.origin };
  }
  const node = world.kubernetes.nodes.find((n) => n.name !== than && n.addresses.some((a) => a === address));
  return node === undefined ? undefined : { name: node.name, origin: node.origin };
}
