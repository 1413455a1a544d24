import { hostText, type SeenConnection } from "../../evidence/index.ts";
import { text } from "../../messages/index.ts";
import { formatAddress, PROTO } from "../../net/index.ts";
import type { Sign } from "../sign.ts";
import { shownStacks, suspect } from "./claim.ts";

const LIBERAL = "net.netfilter.nf_conntrack_tcp_be_liberal";

/** In a connection that came about, a packet of the endpoint that was not translated back, and the client's reset of it. */
function strayOf({ protocol, request, sightings: own }: SeenConnection, all: readonly SeenConnection[]) {
  if (protocol !== PROTO.tcp) return undefined;
  const [client, called] = [hostText(request.src), hostText(request.dst)];
  // Untranslated, its packets look like those of another connection of the same port.
  const others = all.filter((c) =>
    c.sightings.some((s) => hostText(s.ip.dst) === client && s.ip.dport === request.sport && s.ip.dport !== undefined),
  );
  const sightings = [...own, ...others.flatMap((c) => c.sightings)];
  const established = sightings.some((s) => s.role === "syn-ack" && hostText(s.ip.src) === called);
  const stray = sightings.find(
    (s) =>
      (s.role === "data" || s.role === "ack" || s.role === "fin") &&
      hostText(s.ip.dst) === client &&
      s.ip.dport === request.sport &&
      hostText(s.ip.src) !== called,
  );
  const reset = sightings.find(
    (s) =>
      s.role === "rst" &&
      hostText(s.ip.src) === client &&
      stray !== undefined &&
      hostText(s.ip.dst) === hostText(stray.ip.src),
  );
  return established && stray !== undefined && reset !== undefined ? { stray, reset } : undefined;
}

/**
 * conntrack calls an answer INVALID (out of window), does not translate it, and nothing drops it. Guards: be_liberal 1, a rule that
 * drops INVALID; a handshake that never completes is BRIDGE_NF_OFF.
 */
export const conntrackInvalidRst: Sign = {
  codes: ["CONNTRACK_INVALID_RST"],
  detect: (look) => {
    const { question, connections } = look;
    for (const c of connections) {
      if (hostText(c.request.dst) !== formatAddress(question.to) || c.request.dport !== question.port) continue;
      const seen = strayOf(c, connections);
      const stack = shownStacks(look).find((s) => s.name === seen?.stray.place.node);
      const setting = stack?.sysctls.get(LIBERAL);
      if (seen === undefined || setting?.value === "1") continue;
      return [
        suspect({
          code: "CONNTRACK_INVALID_RST",
          stack: seen.stray.place.node,
          certainty: "inferred",
          direction: "reply",
          summary: text("cause.conntrack_invalid_rst", { endpoint: hostText(seen.stray.ip.src) }),
          evidence: [seen.stray.origin, seen.reset.origin, ...(setting === undefined ? [] : [setting.origin])],
          step: "conntrack",
          check: { text: text("check.invalid"), command: `sysctl ${LIBERAL}; conntrack -S` },
        }),
      ];
    }
    return [];
  },
};
