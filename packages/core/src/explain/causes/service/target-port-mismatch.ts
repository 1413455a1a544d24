import { text } from "../../../messages/index.ts";
import { type IpvsStep, type Listener, listsAll, type NatStep } from "../../../model/index.ts";
import { isLoopback, protocolName } from "../../../net/index.ts";
import { servicesAt } from "../../../trace/index.ts";
import { type Cause, lastOf, stackOf, stepsOf } from "../../cause.ts";
import { ledTo } from "../led-to.ts";

/** Of more listeners than this none stands out. */
const MOST = 4;

/**
 * A Service sends to a port of its endpoint that nobody has, and another one there is listened on: targetPort is wrong, or the process's port. Guards:
 * every listener of the endpoint was shown; one on loopback does not count; without a translation it is NO_LISTENER.
 */
export const targetPortMismatch: Cause = {
  codes: ["TARGET_PORT_MISMATCH"],
  detect: ({ leg, branch, world, question }) => {
    if (leg !== branch.request || leg.drop !== "NO_SOCKET") return [];
    const { dst, dport, protocol } = leg.final;
    const isSentHere = (s: NatStep | IpvsStep): boolean => s.packet.dst === dst && s.before.dst !== dst;
    const sent = lastOf([...stepsOf(leg, "nat"), ...stepsOf(leg, "ipvs")].filter(isSentHere));
    const stack = stackOf(world, leg.stack);
    if (sent === undefined || stack === undefined || !listsAll(stack.listeners, protocol)) return [];
    const heard = stack.listeners.items.filter((l) => mayServe(l, protocol) && l.port !== dport);
    const ports = [...new Set(heard.map((l) => l.port))];
    const isNode = stack.kind === "node";
    // A node has listeners for everything; a pod's few are likely its own.
    if (ports.length === 0 || ports.length > MOST || isNode) return [];
    const service = servicesAt(world, question.to).find((s) =>
      [...s.clusterIps, ...s.externalIps].includes(question.to),
    );
    const object = world.kubernetes.services.find((s) => s.namespace === service?.namespace && s.name === service.name);
    const own = sent.kind === "nat" ? (sent.origin === undefined ? [] : [sent.origin]) : sent.origins;
    const without =
      ports.length === 1 ? ledTo(stackOf(world, sent.stack), sent, leg.final, { address: dst, port: ports[0]! }) : [];
    return [
      {
        code: "TARGET_PORT_MISMATCH",
        summary: text("cause.target_port_mismatch", {
          stack: stack.name,
          port: String(dport),
          ports: ports.join(", "),
          proto: protocolName(protocol),
        }),
        stack: sent.stack,
        evidence: [...own, ...(object === undefined ? [] : [object.origin]), ...heard.map((l) => l.origin)],
        ...(without.length > 0 && { without }),
        root: true,
      },
    ];
  },
};

const mayServe = ({ protocol, address }: Listener, wanted: number): boolean =>
  protocol === wanted && (address === undefined || !isLoopback(address));
