import { type Text, text } from "../../messages/index.ts";
import { parseFactId } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { formatAddress } from "../../net/index.ts";
import { arrivalOf, type Cause, lastOf, type Scene, stackOf, stepsOf, wayOf } from "../cause.ts";
import type { CauseCode } from "../code.ts";
import { explainsSilence } from "./ipv6/discovery.ts";
import { l2Path } from "./link/l2-path.ts";
import { staleEndpoint } from "./service/stale-endpoint.ts";

interface Plain {
  readonly code: CauseCode;
  readonly summary: (scene: Scene) => Text;
}

/** The device whose origin the drop names, else the last one the packet was at. */
const deviceOf = ({ leg, world }: Scene): string => {
  const named = stackOf(world, leg.stack)?.devices.items.find((d) => leg.origins.includes(d.origin));
  const observed = lastOf(leg.steps.filter((s) => s.kind === "receive" || s.kind === "transmit"));
  return named?.name ?? (observed?.kind === "receive" || observed?.kind === "transmit" ? observed.device : "?");
};

const wayOut = ({ leg }: Scene): string => lastOf(stepsOf(leg, "route"))?.device ?? "?";

/** Causes that a drop reason names by itself. */
const BY_DROP: Readonly<Record<string, Plain>> = lookup({
  IP_LOCALNET: {
    code: "ROUTE_LOCALNET",
    summary: (s) =>
      text("cause.route_localnet", {
        stack: s.leg.stack,
        direction: wayOf(s),
        device: arrivalOf(s.leg) ?? wayOut(s),
      }),
  },
  NEIGH_FAILED: {
    code: "NEIGHBOUR_FAILED",
    summary: ({ leg }) => {
      const arp = lastOf(stepsOf(leg, "arp"));
      const address = formatAddress(arp?.target ?? leg.final.dst);
      const at = { address, device: arp?.device ?? "?", stack: leg.stack };
      return address.includes(":")
        ? text("cause.neighbour_failed.solicitation", at)
        : text("cause.neighbour_failed", at);
    },
  },
  DEV_DOWN: {
    code: "LINK_DOWN",
    summary: (s) => text("cause.link_down", { device: deviceOf(s), stack: s.leg.stack }),
  },
  NO_SOCKET: {
    code: "NO_LISTENER",
    summary: ({ leg }) => text("cause.no_listener", { port: String(leg.final.dport), stack: leg.stack }),
  },
  PKT_TOO_BIG: {
    code: "MTU_BLACKHOLE",
    summary: (s) => text("cause.mtu_blackhole", { length: s.leg.final.length, device: wayOut(s), stack: s.leg.stack }),
  },
  CONNTRACK_CLASH: {
    code: "CONNTRACK_INSERT_RACE",
    summary: ({ leg }) => text("cause.conntrack_insert_race.walked", { stack: leg.stack }),
  },
  FABRIC_DENY: {
    code: "UNDERLAY_FILTER",
    summary: ({ leg }) =>
      text("cause.underlay_filter", {
        source: formatAddress(leg.final.src),
        destination: formatAddress(leg.final.dst),
      }),
  },
  FABRIC_SRC_DST_CHECK: {
    code: "CLOUD_SRC_DST_CHECK",
    summary: ({ leg }) => text("cause.cloud_src_dst_check", { stack: leg.stack, source: formatAddress(leg.final.src) }),
  },
});

export const plainCauses: Cause = {
  codes: Object.values(BY_DROP).map((c) => c.code),
  detect: (scene) => {
    const { leg, branch } = scene;
    const known = BY_DROP[leg.drop ?? ""];
    if (known === undefined) return [];
    // Where it is only a hypothesis that nobody listens, the decisive fact says so; it is no cause that was found.
    const assumedClosed = [...branch.hypothesis.keys()].some((id) => parseFactId(id).kind === "listen");
    if (known.code === "NO_LISTENER" && assumedClosed) return [];
    // Nobody answers because nobody is there: that rules still name him is all there is to say.
    if (known.code === "NEIGHBOUR_FAILED" && staleEndpoint.detect(scene).length > 0) return [];
    if (known.code === "NEIGHBOUR_FAILED" && l2Path.detect(scene).length > 0) return [];
    if (known.code === "NEIGHBOUR_FAILED" && explainsSilence(scene)) return [];
    const summary = known.summary(scene);
    return [{ code: known.code, summary, stack: leg.stack, evidence: leg.origins, root: true }];
  },
};
