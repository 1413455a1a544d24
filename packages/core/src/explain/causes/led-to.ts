import type { StackCommand } from "../../assemble/index.ts";
import { type IpvsStep, type NatStep, type Packet, ruleAt, type Stack } from "../../model/index.ts";
import { type Address, formatEndpoint, protocolName } from "../../net/index.ts";
import { argv, iptablesFor, on } from "../cause.ts";

export interface Server {
  readonly address: Address;
  readonly port: number;
}

const endpoint = formatEndpoint;

/** The commands by which the rule, or the real server, that sent a packet somewhere leads to another server. */
export function ledTo(
  stack: Stack | undefined,
  sent: NatStep | IpvsStep,
  final: Packet,
  server: Server,
): readonly StackCommand[] {
  if (stack === undefined) return [];
  const to = endpoint(server.address, server.port);
  const proto = protocolName(final.protocol);
  if (sent.kind === "nat") {
    const place = placeOf(stack, sent);
    if (place === undefined) return [];
    return [
      on(
        stack.name,
        argv`${iptablesFor(final.dst)} -t nat -R ${place.chain} ${place.number} -p ${proto} -j DNAT --to-destination ${to}`,
      ),
    ];
  }
  const { dst, dport } = sent.before;
  const at = [`-${proto[0]}`, endpoint(dst, Number(dport))];
  return [
    on(stack.name, [...argv`ipvsadm -a`, ...at, ...argv`-r ${to} -m`]),
    on(stack.name, [...argv`ipvsadm -d`, ...at, ...argv`-r ${endpoint(final.dst, Number(final.dport))}`]),
  ];
}

function placeOf(stack: Stack, { by }: NatStep) {
  const found = ruleAt(stack, by);
  return found?.rule !== undefined && found.table.name === "nat" ? by : undefined;
}
