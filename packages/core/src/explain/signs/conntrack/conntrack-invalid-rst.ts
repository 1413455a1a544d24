import { hostText, type ObservedConnection } from "../../../evidence/index.ts";
import { text } from "../../../messages/index.ts";
import type { Stack } from "../../../model/index.ts";
import { shell } from "../../../model/shell.ts";
import { formatAddress, PROTO } from "../../../net/index.ts";
import type { ClaimedCause } from "../../cause.ts";
import type { Look, Sign } from "../../sign.ts";
import { delivers, shownStacks, suspect } from "../claim.ts";

const LIBERAL = "net.netfilter.nf_conntrack_tcp_be_liberal";

/** In a connection that came about, a packet of the endpoint that was not translated back, and the client's reset of it. */
function strayOf({ protocol, request, sightings: own }: ObservedConnection, all: readonly ObservedConnection[]) {
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
      const observed = strayOf(c, connections);
      const stack = shownStacks(look).find((s) => s.name === observed?.stray.place.node);
      const setting = stack?.sysctls.get(LIBERAL);
      if (observed === undefined || setting?.value === "1") continue;
      return [
        suspect({
          code: "CONNTRACK_INVALID_RST",
          stack: observed.stray.place.node,
          certainty: "inferred",
          direction: "reply",
          summary: text("cause.conntrack_invalid_rst", { endpoint: hostText(observed.stray.ip.src) }),
          evidence: [observed.stray.origin, observed.reset.origin, ...(setting === undefined ? [] : [setting.origin])],
          step: "conntrack",
          check: { text: text("check.invalid"), command: shell`sysctl ${LIBERAL}; conntrack -S` },
        }),
      ];
    }
    return fromTestimony(look);
  },
};

/** By the asker's word connections are reset, the walk delivers through a translation, and nothing drops what is INVALID. */
function fromTestimony(look: Look): readonly ClaimedCause[] {
  const word = look.testimonies.find((t) => t.byAsker === true && t.outcome === "reset");
  if (word === undefined || look.question.protocol !== PROTO.tcp || !delivers(look)) return [];
  const at = new Set(
    look.exploration.branches.flatMap((b) => b.request.steps.flatMap((s) => (s.kind === "nat" ? [s.stack] : []))),
  );
  const stack = shownStacks(look).find(
    (s) => at.has(s.name) && s.sysctls.get(LIBERAL)?.value !== "1" && !dropsInvalid(s),
  );
  if (stack === undefined) return [];
  return [
    suspect({
      code: "CONNTRACK_INVALID_RST",
      stack: stack.name,
      direction: "reply",
      summary: text("cause.conntrack_invalid_rst.told", { stack: stack.name }),
      evidence: [word.origin],
      step: "conntrack",
      check: { text: text("check.invalid"), command: `sysctl ${LIBERAL}; conntrack -S` },
    }),
  ];
}

const dropsInvalid = ({ netfilter }: Stack): boolean =>
  netfilter.tables.some((t) =>
    t.chains.some((c) =>
      c.rules.some(
        (r) =>
          r.target.kind === "drop" &&
          r.matches.some((m) => m.kind === "conntrack" && m.states?.value.includes("INVALID") === true),
      ),
    ),
  );
