import type { IpSet, Packet } from "../../model/index.ts";
import { formatAddress, sameAddress } from "../../net/index.ts";
import { type Cause, lastOf, stackOf, stepsOf } from "../cause.ts";

const holds = (set: IpSet | undefined, p: Packet): boolean =>
  set?.entries.some((e) => {
    const [address, port] = e.parts;
    const at = address?.kind === "address" && sameAddress(address.from, p.dst);
    return at && !e.nomatch && (port?.kind !== "port" || (p.dport === port.from && port.protocol === p.protocol));
  }) ?? false;

/** The virtual service has nobody to send to: refused, although ping is answered by the node itself. */
export const ipvsNoDestination: Cause = {
  codes: ["ETP_LOCAL_NO_ENDPOINT_IPVS", "NO_ENDPOINTS"],
  detect: ({ leg, world }) => {
    if (leg.drop !== "IPVS_NO_DESTINATION") return [];
    const stack = stackOf(world, leg.stack);
    const set = (name: string) => stack?.ipsets.items.find((s) => s.name === name);
    const external = [
      "KUBE-LOAD-BALANCER",
      "KUBE-EXTERNAL-IP",
      "KUBE-LOAD-BALANCER-LOCAL",
      "KUBE-EXTERNAL-IP-LOCAL",
    ].some((n) => holds(set(n), leg.final));
    const internal = holds(set("KUBE-CLUSTER-IP"), leg.final);
    const nodePort = stack?.devices.items.some(
      (d) => d.kind !== "dummy" && d.addresses.some((a) => sameAddress(a.prefix.address, leg.final.dst)),
    );
    const local = (external || nodePort === true) && !internal;
    const shown = `${formatAddress(leg.final.dst)}:${String(leg.final.dport)}`;
    return [
      {
        code: local ? "ETP_LOCAL_NO_ENDPOINT_IPVS" : "NO_ENDPOINTS",
        summary: local
          ? `the virtual service ${shown} has no real server on ${leg.stack}: with externalTrafficPolicy Local and no endpoint here the kernel answers port unreachable`
          : `the virtual service ${shown} has no real server that takes connections`,
        stack: leg.stack,
        evidence: leg.origins,
        root: true,
      },
    ];
  },
};

/** A node calls a VIP: the source becomes the VIP itself, nothing masquerades it, and no answer finds its way back. */
export const ipvsHostNotMasqueraded: Cause = {
  codes: ["MASQ_MISSING_IPVS_HOST", "SRC_SELECTION_KUBE_IPVS0"],
  detect: ({ branch, leg, question, world }) => {
    const client = stackOf(world, question.client);
    const balanced = lastOf(stepsOf(branch.request, "ipvs"));
    if (client?.kind !== "node" || balanced === undefined || branch.request.masqueraded || branch.reply !== leg)
      return [];
    const vip = balanced.before.src;
    if (!sameAddress(vip, question.to) || question.bindAddress !== undefined) return [];
    if (leg.drop !== "FABRIC_NO_OWNER" && leg.drop !== "TCP_UNEXPECTED") return [];
    const shown = formatAddress(vip);
    const holder = client.devices.items.find((d) => d.addresses.some((a) => sameAddress(a.prefix.address, vip)));
    const address = holder?.addresses.find((a) => sameAddress(a.prefix.address, vip));
    const origins = address === undefined ? [] : [address.origin];
    return [
      {
        code: "MASQ_MISSING_IPVS_HOST",
        summary: `nothing masquerades what ${client.name} itself sends to ${shown}: the real server sees the virtual address as the client and cannot answer it`,
        stack: client.name,
        evidence: [...balanced.origins, ...origins],
        without: [`${client.name}: iptables -t nat -A POSTROUTING -s ${shown}/32 -j MASQUERADE`],
        root: true,
      },
      {
        code: "SRC_SELECTION_KUBE_IPVS0",
        summary: `the source is ${shown}, because the called address is the node's own${holder === undefined ? "" : ` on ${holder.name}`}`,
        stack: client.name,
        evidence: origins,
        root: true,
      },
    ];
  },
};

export const ipvsLocalhost: Cause = {
  codes: ["IPVS_LOCALHOST_NODEPORT"],
  detect: ({ leg }) => {
    if (leg.drop !== "IPVS_DROP") return [];
    const summary =
      "a connection to 127.0.0.1 cannot be balanced to another machine: IPVS drops it, whatever route_localnet says";
    return [{ code: "IPVS_LOCALHOST_NODEPORT", summary, stack: leg.stack, evidence: leg.origins, root: true }];
  },
};
