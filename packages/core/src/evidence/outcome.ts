import { PROTO } from "../net/index.ts";
import { endText } from "./endpoint-text.ts";
import type { Sighting } from "./sighting.ts";

/**
 * `unanswered`: sent again and again, nothing came back. `answer-unheard`: the server answers again and again, and the
 * client does not take it. `answer-lost`: it comes back to where the request was translated and goes no further. `answer-refused`:
 * the client resets the answer. `partly-answered`: fewer answers than questions. `late`: it came about after SYNs were lost.
 * `stalled`: it came about, and then the client's data was sent again and again. `open`: what was captured ends before it shows.
 */
export type ConnectionOutcome =
  | "established"
  | "late"
  | "stalled"
  | "answered"
  | "partly-answered"
  | "refused"
  | "unreachable"
  | "unanswered"
  | "answer-unheard"
  | "answer-lost"
  | "answer-refused"
  | "open";

export const isLoss = (outcome: ConnectionOutcome): boolean =>
  outcome === "refused" ||
  outcome === "unreachable" ||
  outcome === "unanswered" ||
  outcome === "late" ||
  outcome === "stalled" ||
  outcome === "partly-answered" ||
  outcome === "answer-unheard" ||
  outcome === "answer-lost" ||
  outcome === "answer-refused";

/** Retransmission timers start at a second; the same frame on several devices is microseconds apart. */
const RETRANSMITTED = 0.2;

const again = (s: Sighting): boolean =>
  s.times > 1 &&
  s.time !== undefined &&
  s.lastTime !== undefined &&
  (s.time.base === "previous"
    ? s.lastTime.seconds > RETRANSMITTED
    : s.lastTime.seconds - s.time.seconds > RETRANSMITTED);

export function outcomeOf(sightings: readonly Sighting[], clients: ReadonlySet<string>): ConnectionOutcome {
  const has = (role: Sighting["role"], request?: boolean): boolean =>
    sightings.some(
      (s) => s.role === role && (request === undefined || clients.has(endText(s.ip.src, s.ip.sport)) === request),
    );
  const errors = sightings.filter((s) => s.role === "icmp-error");
  const repeated = (role: Sighting["role"]): boolean => sightings.some((s) => s.role === role && again(s));
  const protocol = sightings[0]?.ip.protocol;
  if (protocol === PROTO.tcp) {
    const goesOn = has("ack", true) || has("data", true) || has("fin", true);
    if (has("syn-ack") && !has("data", false) && unheardData(sightings, clients)) return "stalled";
    if (has("data", false) || (has("syn-ack") && goesOn)) return repeated("syn") ? "late" : "established";
    if (has("rst", true) && has("syn-ack")) return "answer-refused";
    if (has("syn") && has("rst", false)) return "refused";
    if (errors.length > 0) return errorOutcome(errors);
    if (notHandedOn(sightings)) return "answer-lost";
    if (has("syn-ack")) return repeated("syn-ack") || repeated("syn") ? "answer-unheard" : "open";
    if (has("syn")) return repeated("syn") ? "unanswered" : "open";
    return "open";
  }
  if (errors.length > 0) return errorOutcome(errors);
  if (has("echo-reply")) return "answered";
  if (has("echo-request")) return repeated("echo-request") ? "unanswered" : "open";
  const ways = new Set(sightings.map((s) => clients.has(endText(s.ip.src, s.ip.sport))));
  if (ways.size < 2) return "open";
  return protocol === PROTO.udp && lacksAnswers(sightings, clients) ? "partly-answered" : "answered";
}

/** Thrice over more than the timer: one lost segment is sent again once. */
const unheardData = (sightings: readonly Sighting[], clients: ReadonlySet<string>): boolean =>
  sightings.some((s) => s.role === "data" && s.times >= 3 && again(s) && clients.has(endText(s.ip.src, s.ip.sport)));

function errorOutcome(errors: readonly Sighting[]): ConnectionOutcome {
  const port = errors.some(({ ip: { icmp, protocol } }) =>
    protocol === PROTO.icmp6 ? icmp?.type === 1 && icmp.code === 4 : icmp?.type === 3 && icmp.code === 3,
  );
  if (port) return "refused";
  const unreachable = errors.some(({ ip: { icmp, protocol } }) =>
    protocol === PROTO.icmp6 ? icmp?.type === 1 : icmp?.type === 3 && icmp.code !== 4,
  );
  return unreachable ? "unreachable" : "open";
}

/**
 * One machine's captures show the request before and after translation, and the answer to the translated one only. Where they are several, each
 * shows its own device: then the client must have asked again.
 */
function notHandedOn(sightings: readonly Sighting[]): boolean {
  const captureOf = (s: Sighting): string => `${s.place.capture.file}:${s.place.capture.line}`;
  const machineOf = (s: Sighting): string => `${s.place.node}\n${s.place.stack ?? ""}`;
  const repeated = sightings.some((s) => s.role === "syn" && again(s));
  return [...new Set(sightings.map(repeated ? machineOf : captureOf))].some((place) => {
    const here = sightings.filter((s) => (repeated ? machineOf(s) : captureOf(s)) === place);
    const sources = here.filter((s) => s.role === "syn").map((s) => endText(s.ip.src, s.ip.sport));
    const answers = here.filter((s) => s.role === "syn-ack").map((s) => endText(s.ip.dst, s.ip.dport));
    const first = sources[0];
    return first !== undefined && sources.some((s) => s !== first) && answers.length > 0 && !answers.includes(first);
  });
}

const DNS = 53;

/** Each question of DNS has one answer: a capture of both directions with fewer answers shows a loss. */
function lacksAnswers(sightings: readonly Sighting[], clients: ReadonlySet<string>): boolean {
  const query = new Map<string, { questions: number; answers: number }>();
  for (const s of sightings) {
    const request = clients.has(endText(s.ip.src, s.ip.sport));
    if ((request ? s.ip.dport : s.ip.sport) !== DNS) return false;
    const key = `${s.place.capture.file}:${s.place.capture.line} ${s.device ?? ""}`;
    const count = query.get(key) ?? { questions: 0, answers: 0 };
    if (request) count.questions += s.times;
    else count.answers += s.times;
    query.set(key, count);
  }
  return [...query.values()].some((c) => c.answers > 0 && c.questions > c.answers);
}
