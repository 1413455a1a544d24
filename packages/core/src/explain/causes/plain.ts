import { type Cause, type Finding, type Scene, stepsOf } from "../cause.ts";

/** Causes that a drop reason names by itself. */
const BY_DROP: Readonly<Record<string, { readonly code: string; readonly summary: (s: Scene) => string }>> = {
  IP_LOCALNET: { code: "ROUTE_LOCALNET", summary: ({ leg }) => leg.decision },
  NEIGH_FAILED: { code: "NEIGHBOUR_FAILED", summary: ({ leg }) => leg.decision },
  DEV_DOWN: { code: "LINK_DOWN", summary: ({ leg }) => leg.decision },
  NO_SOCKET: {
    code: "NO_LISTENER",
    summary: ({ leg }) => `nobody listens where the packet is delivered in ${leg.stack}`,
  },
  PKT_TOO_BIG: { code: "MTU_BLACKHOLE", summary: ({ leg }) => leg.decision },
  FABRIC_DENY: { code: "UNDERLAY_FILTER", summary: ({ leg }) => leg.decision },
  FABRIC_SRC_DST_CHECK: { code: "CLOUD_SRC_DST_CHECK", summary: ({ leg }) => leg.decision },
  TCP_UNEXPECTED: { code: "", summary: () => "" },
};

export const plainCauses: Cause = {
  codes: Object.values(BY_DROP).flatMap((c) => (c.code === "" ? [] : [c.code])),
  detect: (scene) => {
    const known = BY_DROP[scene.leg.drop ?? ""];
    if (known === undefined || known.code === "") return [];
    // Where it is only a hypothesis that nobody listens, the decisive fact says so; it is no cause that was found.
    const assumedClosed = [...scene.branch.hypothesis.keys()].some((id) => id.includes("/listen/"));
    if (known.code === "NO_LISTENER" && assumedClosed) return [];
    return [finding(scene, known.code, known.summary(scene))];
  },
};

const finding = ({ leg }: Scene, code: string, summary: string, without?: readonly string[]): Finding => ({
  code,
  summary,
  stack: leg.stack,
  evidence: leg.origins,
  ...(without !== undefined && { without }),
  root: true,
});

/** The arrival device, or the whole node, does not forward. */
export const ipForwardOff: Cause = {
  codes: ["IP_FORWARD_OFF"],
  detect: (scene) => {
    const { leg, stack } = scene;
    if (leg.drop !== "IP_INADDRERRORS" || stack?.kind === "pod" || stack?.kind === "vm" || stack?.kind === "client")
      return [];
    return [
      finding(scene, "IP_FORWARD_OFF", `${leg.stack}: ${leg.decision}`, [
        `${leg.stack}: sysctl -w net.ipv4.ip_forward=1`,
      ]),
    ];
  },
};

/** Routing has no way, or a route that says so. */
export const noRoute: Cause = {
  codes: ["NO_ROUTE", "BLACKHOLE_ROUTE"],
  detect: (scene) => {
    const { leg, world } = scene;
    if (leg.drop !== "IP_INNOROUTES" && leg.drop !== "IP_OUTNOROUTES") return [];
    const failed = stepsOf(leg, "route").find((s) => s.result === "error");
    if (failed === undefined) return [];
    const tables = world.stacks.find((s) => s.name === leg.stack)?.routeTables ?? [];
    const refusing = tables
      .flatMap((t) => t.routes)
      .find((r) => failed.origins.includes(r.origin) && ["blackhole", "unreachable", "prohibit"].includes(r.type));
    return [
      refusing === undefined
        ? finding(scene, "NO_ROUTE", `${leg.stack} has no route for it (${failed.error ?? "no route"})`)
        : finding(scene, "BLACKHOLE_ROUTE", `a ${refusing.type} route of ${leg.stack} wins`),
    ];
  },
};

/** After the handshake the ports changed: a second pass through conntrack, or a null binding that found its port taken. */
export const natPortRewrite: Cause = {
  codes: ["NAT_PORT_REWRITE"],
  detect: (scene) => {
    const { branch, leg } = scene;
    if (!branch.data.includes(leg) || leg.drop !== "TCP_UNEXPECTED") return [];
    const moved = stepsOf(leg, "nat").find((s) => s.manip === "source" && s.before.src === s.packet.src);
    if (moved === undefined) return [];
    return [
      finding(
        scene,
        "NAT_PORT_REWRITE",
        `${moved.stack} changes the source port after the handshake: the packet passes its conntrack a second time`,
      ),
    ];
  },
};
