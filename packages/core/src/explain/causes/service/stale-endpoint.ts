import type { StackCommand } from "../../../assemble/index.ts";
import { text } from "../../../messages/index.ts";
import {
  type Absence,
  type Decision,
  type IpvsStep,
  isOver,
  type KubernetesObjects,
  type NatStep,
  type Packet,
} from "../../../model/index.ts";
import { type Address, familyOf, formatAddress } from "../../../net/index.ts";
import { type Cause, lastOf, type Scene, stackOf, stepsOf } from "../../cause.ts";
import { ledTo, type Server } from "../led-to.ts";

/** Somebody's rules send packets to an endpoint that is not there: kube-proxy does not know yet, or does not learn, that it is gone. */
export const staleEndpoint: Cause = {
  codes: ["STALE_ENDPOINT"],
  detect: (scene) => {
    const { leg, branch, world } = scene;
    const absence = leg === branch.request ? absenceIn(lastOf(stepsOf(leg, "drop"))?.decision) : undefined;
    const sent = lastOf([...stepsOf(leg, "nat"), ...stepsOf(leg, "ipvs")].filter((s) => isSentTo(s, leg.final.dst)));
    if (absence === undefined || sent === undefined || isListed(world.kubernetes, leg.final.dst)) return [];
    const own = sent.kind === "nat" ? (sent.origin === undefined ? [] : [sent.origin]) : sent.origins;
    const where = { endpoint: formatAddress(leg.final.dst), stack: sent.stack };
    const without = replaced(scene, sent, absence);
    return [
      {
        code: "STALE_ENDPOINT",
        summary:
          absence.service === undefined
            ? text("cause.stale_endpoint", where)
            : text("cause.stale_endpoint.named", { ...where, service: absence.service }),
        stack: sent.stack,
        evidence: [...own, ...leg.origins],
        ...(without.length > 0 && { without }),
        // That nobody answered ARP may have passed by now.
        ...(absence.by === "neighbour" && { most: "inferred" as const }),
        root: true,
      },
    ];
  },
};

const absenceIn = (decision: Decision | undefined): Absence | undefined =>
  decision?.kind === "no-neighbour" || decision?.kind === "fabric-nobody" ? decision.absence : undefined;

const isSentTo = (step: NatStep | IpvsStep, address: Address): boolean =>
  step.packet.dst === address && step.before.dst !== address;

/** Objects say that it is there: then it is not stale, whatever else is wrong with it. */
const isListed = ({ endpoints, pods }: KubernetesObjects, address: Address): boolean =>
  endpoints.some((s) => s.endpoints.some((e) => e.addresses.some((a) => a === address))) ||
  pods.some((p) => !isOver(p) && p.addresses.some((a) => a === address));

/** An endpoint of the Service that is ready, for the port that was asked. */
function liveOne({ endpoints }: KubernetesObjects, service: string | undefined, packet: Packet): Server | undefined {
  const family = familyOf(packet.dst);
  for (const slice of endpoints) {
    if (`${slice.namespace}/${slice.service}` !== service || slice.family !== family) continue;
    const ports = slice.ports.filter((p) => p.protocol === packet.protocol && p.port !== undefined);
    const port = (ports.find((p) => p.port === packet.dport) ?? ports[0])?.port;
    const address = slice.endpoints.find((e) => e.ready)?.addresses.find((a) => familyOf(a) === family);
    if (port !== undefined && address !== undefined) return { address, port };
  }
  return undefined;
}

/** The rule, or the real server, led to an endpoint that is there. */
function replaced({ world, leg }: Scene, sent: NatStep | IpvsStep, { service }: Absence): readonly StackCommand[] {
  const live = liveOne(world.kubernetes, service, leg.final);
  return live === undefined ? [] : ledTo(stackOf(world, sent.stack), sent, leg.final, live);
}
