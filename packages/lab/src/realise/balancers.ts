import type { LoadBalancer, Match, World } from "@hairpin/core/model/index.ts";
import { type Address, formatAddress, hostPrefix, isIpv4, PROTO, singlePort } from "@hairpin/core/net/index.ts";
import type { Remarks } from "./report.ts";
import type { MadeRule } from "./rules.ts";
import type { ChosenFacts } from "./sysctls.ts";

/** Marks of flows whose client's address a balancer replaces; the fabric has no other use for marks. */
const REPLACED = 0x10000;

/** Load balancers as DNAT in the fabric: answers pass it again and are translated back there. */
export function balancerRules(
  world: World,
  facts: ChosenFacts,
  remarks: Remarks,
): { readonly prerouting: readonly MadeRule[]; readonly postrouting: readonly MadeRule[] } {
  const prerouting: MadeRule[] = [];
  const postrouting: MadeRule[] = [];
  for (const [i, balancer] of world.loadBalancers.entries()) {
    if (balancer.forwarding === "passthrough" || balancer.forwarding === "pods") {
      const how = balancer.forwarding === "pods" ? "sends straight to pods" : "hands packets on as they are";
      remarks.add("missing", undefined, `load balancer ${formatAddress(balancer.address)}, which ${how}`);
      continue;
    }
    const targets = balancer.targets.flatMap((name) => underlayAddress(world, name) ?? []);
    if (targets.length < balancer.targets.length) {
      remarks.add("missing", undefined, `a target of load balancer ${formatAddress(balancer.address)}`);
    }
    const keeps = keepsClient(balancer, facts, remarks);
    const mark = REPLACED + i;
    for (const port of balancer.ports) {
      const base = {
        to: hostPrefix(balancer.address),
        protocol: port.protocol,
        matches: portMatch(port.protocol, port.port),
      };
      if (!keeps) prerouting.push({ ...base, target: { kind: "mark", value: mark, mask: 0xffffffff } });
      for (const [n, target] of targets.entries()) {
        prerouting.push({
          ...base,
          matches: [...base.matches, ...share(targets.length - n)],
          target: {
            kind: "dnat",
            to: { addresses: { from: target, to: target }, ports: singlePort(port.targetPort) },
            random: false,
            randomFully: false,
            persistent: false,
          },
        });
      }
    }
    if (!keeps) {
      postrouting.push({
        matches: [{ kind: "mark", value: mark, mask: 0xffffffff, negated: false }],
        target: {
          kind: "snat",
          to: { addresses: { from: balancer.source ?? balancer.address, to: balancer.source ?? balancer.address } },
          random: false,
          randomFully: false,
          persistent: false,
        },
      });
    }
  }
  return { prerouting, postrouting };
}

const portMatch = (protocol: number, port: number): readonly Match[] => {
  const dport = { value: singlePort(port), negated: false };
  return protocol === PROTO.udp ? [{ kind: "udp", dport }] : protocol === PROTO.tcp ? [{ kind: "tcp", dport }] : [];
};

/** One in `left`; the last takes what remains. */
const share = (left: number): readonly Match[] =>
  left <= 1 ? [] : [{ kind: "statistic", mode: "random", probability: Math.round(2 ** 31 / left), negated: false }];

function keepsClient(balancer: LoadBalancer, facts: ChosenFacts, remarks: Remarks): boolean {
  if (balancer.preserveClient !== "?") return balancer.preserveClient;
  const id = `load-balancer/${formatAddress(balancer.address)}/preserveClient`;
  const chosen = facts.get(id);
  if (chosen === undefined) remarks.add("assumed", undefined, `${id} = true`);
  return chosen !== "false";
}

function underlayAddress(world: World, name: string): Address | undefined {
  const stack = world.stacks.find((s) => s.name === name);
  const device = stack?.devices.items.find(
    (d) =>
      ["ethernet", "unknown", "bond", "team", "vlan", "bridge"].includes(d.kind) &&
      d.master === undefined &&
      d.addresses.length > 0,
  );
  return device?.addresses.find((a) => isIpv4(a.prefix.address))?.prefix.address;
}
