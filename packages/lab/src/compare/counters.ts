import type { DropStep } from "@hairpin/core/model/index.ts";
import { PROTO } from "@hairpin/core/net/index.ts";
import type { Branch } from "@hairpin/core/trace/index.ts";
import type { CounterChanges } from "../observation.ts";
import { stepsOf } from "../predict.ts";

/** Counters of nstat that tell one cause of a drop from the others, and the drops that move them (docs/kernel-spec.md 25). */
const CAUSES: readonly (readonly [counter: string, moves: (d: DropStep) => boolean])[] = [
  ["TcpExtIPReversePathFilter", (d) => d.reason === "IP_RPFILTER"],
  [
    "IpExtInNoRoutes",
    (d) => d.reason === "IP_INNOROUTES" && d.decision.kind === "unroutable" && d.decision.errno === "ENETUNREACH",
  ],
  ["IpInAddrErrors", (d) => d.reason === "IP_INADDRERRORS"],
  ["IpInHdrErrors", (d) => d.reason === "TTL_EXPIRED" || (d.reason === "TUNNEL_TO_ITSELF" && d.step === "ip_forward")],
  [
    "IpFragFails",
    (d) =>
      d.reason === "PKT_TOO_BIG" &&
      d.step !== "ip_tunnel_xmit" &&
      d.decision.kind !== "frame-too-long" &&
      d.step !== "fabric",
  ],
];

/** Does each cause show in the counters of the stack in which the walk says it struck, and in no other? */
export function compareCounters(branch: Branch, counters: CounterChanges): readonly string[] {
  const steps = stepsOf(branch);
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
    const expected: (readonly [string, boolean])[] = [
      ...CAUSES.map(([name, moves]) => [name, drops.some((d) => d.stack === stack && moves(d))] as const),
      ["UdpNoPorts", refused.some((s) => s.stack === stack)],
    ];
    return expected.flatMap(([name, ours]) =>
      ours === moved(name)
        ? []
        : [`${stack}: ${name} ${ours ? "did not move in the kernel" : "moved in the kernel, not in the walk"}`],
    );
  });
}
