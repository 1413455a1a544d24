import { hostText, type ObservedConnection, type Sighting } from "../../../evidence/index.ts";
import { text } from "../../../messages/index.ts";
import type { ObservedSetting, Origin } from "../../../model/index.ts";
import { formatAddress, PROTO } from "../../../net/index.ts";
import type { ClaimedCause } from "../../cause.ts";
import type { Look, Sign } from "../../sign.ts";
import { shownStacks, suspect } from "../claim.ts";

/** Cards and hypervisors that were seen to spoil checksums of what a tunnel carries. */
const SUSPECT_DRIVERS: ReadonlySet<string> = new Set(["vmxnet3", "mlx5_core", "be2net", "ixgbevf", "hv_netvsc"]);

/** Some SYNs of one connection are lost between the nodes' cards, in the tunnel, and a later one passes. */
function partlyLost(connection: ObservedConnection): { readonly sent: Sighting; readonly got: Sighting } | undefined {
  if (connection.protocol !== PROTO.tcp) return undefined;
  const syns = connection.sightings.filter((s) => s.role === "syn" && s.tunnel?.startsWith("vxlan") === true);
  const answers = connection.sightings.filter((s) => s.role === "syn-ack");
  for (const sent of syns) {
    const got = syns.find((s) => s.place.node !== sent.place.node && s.times < sent.times);
    // Had the others arrived, they would have been answered, too.
    if (got !== undefined && answers.length > 0 && answers.every((a) => a.times <= got.times)) return { sent, got };
  }
  return undefined;
}

const isQuestioned = ({ question, exploration }: Look, { request }: ObservedConnection): boolean => {
  const ends = [
    { to: question.to, port: question.port },
    ...exploration.branches.map((b) => ({ to: b.request.final.dst, port: b.request.final.dport })),
  ];
  return ends.some(({ to, port }) => hostText(request.dst) === formatAddress(to) && request.dport === port);
};

function claim(stack: string, summary: ClaimedCause["summary"], evidence: readonly Origin[], strong: boolean) {
  return suspect({
    code: "VXLAN_TX_CSUM_OFFLOAD",
    stack,
    certainty: strong ? "inferred" : "possible",
    summary,
    evidence,
    step: "vxlan",
    check: { text: text("check.checksum"), command: "ethtool -k flannel.1 | grep tx-checksum-ip-generic" },
  });
}

/**
 * A card or the kernel spoils the checksum of what is sent through VXLAN. Guards: `cksum incorrect` where it is sent is normal
 * and no sign; a filter of the network lets all pass or nothing.
 */
export const vxlanTxCsumOffload: Sign = {
  codes: ["VXLAN_TX_CSUM_OFFLOAD"],
  detect: (look) => {
    for (const c of look.connections) {
      const lost = isQuestioned(look, c) ? partlyLost(c) : undefined;
      if (lost === undefined) continue;
      const { sent, got } = lost;
      const summary = text("cause.vxlan_tx_csum_offload.partly", {
        sent: sent.times,
        left: sent.place.node,
        got: got.times,
        arrived: got.place.node,
      });
      return [claim(sent.place.node, summary, [sent.origin, got.origin], true)];
    }
    return pingOnly(look);
  },
};

/** In a tunnel, ping passes and TCP does not: no filter outside it can tell them apart. */
function pingOnly(look: Look): readonly ClaimedCause[] {
  const { question, testimonies, connections, observations } = look;
  if (question.protocol !== PROTO.tcp || !testimonies.some((t) => t.kind === "loss")) return [];
  if (testimonies.some((t) => t.kind === "success")) return [];
  const to = formatAddress(question.to);
  const echo = connections.find(
    (c) =>
      (c.protocol === PROTO.icmp || c.protocol === PROTO.icmp6) &&
      c.outcome === "answered" &&
      hostText(c.request.dst) === to &&
      c.sightings.some((s) => inVxlan(look, s)),
  );
  const observed = echo?.sightings.find((s) => inVxlan(look, s));
  if (observed === undefined) return [];
  // Where TCP was seen behind the tunnel, it is not lost in it.
  const arrived = connections.some(
    (c) =>
      c.protocol === PROTO.tcp &&
      c.sightings.some((s) => s.place.node === observed.place.node && hostText(s.ip.dst) === to && s.role === "syn"),
  );
  if (arrived) return [];
  const loss = testimonies.find((t) => t.kind === "loss");
  const driver = driverOf(look, observations.settings);
  const summary =
    driver === undefined
      ? text("cause.vxlan_tx_csum_offload.ping", { address: to })
      : text("cause.vxlan_tx_csum_offload.driver", { address: to, driver: driver.value });
  const origins = [observed.origin, ...(loss === undefined ? [] : [loss.origin])];
  const evidence = driver === undefined ? origins : [...origins, driver.origin];
  return [claim(question.client, summary, evidence, driver !== undefined)];
}

const driverOf = ({ question }: Look, settings: readonly ObservedSetting[]): ObservedSetting | undefined =>
  settings.find((s) => s.place.node === question.client && s.name === "driver" && SUSPECT_DRIVERS.has(s.value));

/** Seen on a VXLAN device, or in one's packets. */
function inVxlan(look: Look, { place, device, tunnel }: Sighting): boolean {
  if (tunnel?.startsWith("vxlan") === true) return true;
  const name = device ?? place.device;
  const known = shownStacks(look)
    .find((s) => s.name === place.node)
    ?.devices.items.find((d) => d.name === name);
  return known === undefined ? /^(?:flannel\.?\d|vxlan)/.test(name ?? "") : known.kind === "vxlan";
}
