import { formatAddress } from "../../net/index.ts";
import { type Cause, type Finding, lastOf, stackOf, stepsOf } from "../cause.ts";

/** A packet from the wire carries an address of the very stack it reaches: dropped at any rp_filter. */
export const martianLocalSource: Cause = {
  codes: ["MARTIAN_LOCAL_SOURCE", "KUBE_IPVS0_ADDR_CONFLICT", "LB_LOOPBACK", "MASQ_TOO_MUCH"],
  detect: ({ leg, branch, direction, world, question }) => {
    if (leg.drop !== "IP_LOCAL_SOURCE") return [];
    const check = lastOf(stepsOf(leg, "source validation"));
    const source = formatAddress(leg.final.src);
    const stack = stackOf(world, leg.stack);
    const holder = stack?.devices.items.find((d) => d.addresses.some((a) => a.prefix.address === leg.final.src));
    const address = holder?.addresses.find((a) => a.prefix.address === leg.final.src);
    const evidence = [...(address === undefined ? [] : [address.origin]), ...(check?.origins ?? [])];
    const findings: Finding[] = [
      {
        code: "MARTIAN_LOCAL_SOURCE",
        summary: `${leg.stack} drops the ${direction} because its source ${source} is an address of its own${holder === undefined ? "" : ` (on ${holder.name})`}`,
        stack: leg.stack,
        evidence,
        ...(holder?.kind === "dummy" &&
          address !== undefined && {
            without: [`${leg.stack}: ip addr del ${source}/${address.prefix.length} dev ${holder.name}`],
          }),
        root: false,
      },
    ];
    if (holder?.kind === "dummy" && direction === "request") {
      const summary = `${source} is bound on ${holder.name}, and somebody else sends from it`;
      findings.push({ code: "KUBE_IPVS0_ADDR_CONFLICT", summary, stack: leg.stack, evidence, root: true });
    }
    const looped = stepsOf(leg, "link").find((s) => s.decision.startsWith("load balancer"));
    if (
      direction === "request" &&
      looped !== undefined &&
      (question.client === leg.stack || stackOf(world, question.client)?.node === leg.stack)
    ) {
      const balancer = world.loadBalancers.find((b) => b.targets.includes(leg.stack));
      findings.push({
        code: "LB_LOOPBACK",
        summary: `the load balancer sends the packet back to the node it came from, with its source kept`,
        stack: leg.stack,
        evidence: balancer === undefined ? [] : [balancer.origin],
        root: true,
      });
    }
    const masked = stepsOf(branch.request, "nat").find((s) => s.manip === "source" && s.stack === leg.stack);
    if (direction === "reply" && masked !== undefined) {
      findings.push({
        code: "MASQ_TOO_MUCH",
        summary: `${leg.stack} masquerades a packet that it need not, and so draws the answer to itself`,
        stack: leg.stack,
        evidence: masked.origin === undefined ? [] : [masked.origin],
        without: [
          `${leg.stack}: iptables -t nat -I POSTROUTING -s ${formatAddress(masked.before.src)}/32 -d ${formatAddress(masked.before.dst)}/32 -j ACCEPT`,
        ],
        root: true,
      });
    }
    return findings;
  },
};
