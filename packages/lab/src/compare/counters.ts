import type { DropStep } from "@hairpin/core/model/index.ts";
import { isIpv4, PROTO } from "@hairpin/core/net/index.ts";
import type { Branch } from "@hairpin/core/trace/index.ts";
import type { CounterChanges } from "../observation.ts";
import { stepsOf } from "../predict.ts";

/** Counters of nstat that tell one cause of a drop from the others, and the drops that move them (docs/kernel-spec.md 25). */
const CAUSES: readonly (readonly [counter: string, moves: (d: DropStep) => boolean])[] = [
  ["TcpExtIPReversePathFilter", (d) => d.reason === "IP_RPFILTER"],
  [
    "IpExtInNoRoutes",
    (d) =>
      d.reason === "IP_INNOROUTES" &&
      d.step !== "bridge" &&
      d.decision.kind === "unroutable" &&
      d.decision.errno === "ENETUNREACH",
  ],
  ["IpInAddrErrors", (d) => d.reason === "IP_INADDRERRORS"],
  ["IpInHdrErrors", (d) => d.reason === "TTL_EXPIRED" || (d.reason === "TUNNEL_TO_ITSELF" && d.step === "ip_forward")],
  [
    "IpFragFails",
    (d) =>
      d.reason === "PKT_TOO_BIG" &&
      d.step !== "ip_tunnel_xmit" &&
      d.step !== "ip6_tnl_xmit" &&
      // ip_do_fragment() counts one that the device does not take, where the neighbour is known.
      (d.decision.kind !== "frame-too-long" || (d.packet.fragment !== undefined && d.packet.fragment.offset === 0)) &&
      d.step !== "fabric",
  ],
];

/** The same of /proc/net/snmp6. */
const NAMES6 = new Map([
  ["IpExtInNoRoutes", "Ip6InNoRoutes"],
  ["IpInAddrErrors", "Ip6InAddrErrors"],
  ["IpInHdrErrors", "Ip6InHdrErrors"],
]);

/** br_netfilter frees what has no route without counting it. */
const isRefused6 = ({ reason, decision, step }: DropStep): boolean =>
  reason === "IP_INNOROUTES" && step !== "bridge" && decision.kind === "unroutable" && decision.errno !== "EINVAL";

/** Does each cause show in the counters of the stack in which the walk says it struck, and in no other? */
export function compareCounters(branch: Branch, counters: CounterChanges): readonly string[] {
  const steps = stepsOf(branch);
  const six = !isIpv4(branch.request.final.dst);
  const drops = steps.filter((s): s is DropStep => s.kind === "drop");
  const refused = steps.filter(
    (s) =>
      s.packet.protocol === PROTO.udp &&
      ((s.kind === "socket" && (s.result === "no listener" || s.result === "no connection")) ||
        (s.kind === "drop" && s.reason === "TUNNEL_NO_DEVICE")),
  );
  const stacks = new Set([...counters.keys(), ...drops.map((d) => d.stack)]);
  return [...stacks].flatMap((stack) => {
    const moved = (name: string): boolean => (counters.get(stack)?.get(name) ?? 0) > 0;
    // A tunnel's own packets may be of the other family.
    const noPorts = ([true, false] as const).map((four) => {
      const there = refused.some((s) => s.stack === stack && isIpv4(s.packet.dst) === four);
      return { name: four ? "UdpNoPorts" : "Udp6NoPorts", there };
    });
    const unheard = noPorts.flatMap(({ name, there }) => told(stack, name, there, moved(name)));
    const expected = CAUSES.map(([name, moves]) => [name, drops.some((d) => d.stack === stack && moves(d))] as const);
    const found = expected.flatMap(([four, known]) => {
      const name = six ? NAMES6.get(four) : four;
      // ip6_pkt_drop() counts what a route refuses like what none leads to.
      const refused6 = drops.some((d) => d.stack === stack && isRefused6(d));
      const ours = known || (six && four === "IpExtInNoRoutes" && refused6);
      return name === undefined ? [] : told(stack, name, ours, moved(name));
    });
    return [...found, ...unheard];
  });
}

const told = (stack: string, name: string, ours: boolean, moved: boolean): readonly string[] =>
  ours === moved
    ? []
    : [`${stack}: ${name} ${ours ? "did not move in the kernel" : "moved in the kernel, not in the walk"}`];
