import { text } from "../messages/index.ts";
import type { Observations, ObservedServiceLine, ServiceEvent } from "../model/index.ts";
import { formatAddress, protocolName } from "../net/index.ts";
import type { DerivedFact } from "./derived.ts";
import type { Testimony } from "./losses.ts";
import type { QuestionFlow } from "./question-flow.ts";

/** What a service's log says of the datapath, in a sentence. */
function meaning(event: ServiceEvent, service: string): { readonly code: string; readonly text: string } {
  switch (event.what) {
    case "port-taken":
      return {
        code: "PORT_TAKEN",
        text: `${service} could not listen on ${event.protocol}/${event.port}: another socket has that port`,
      };
    case "proxy-mode":
      return { code: "PROXY_MODE", text: `kube-proxy runs in ${event.value} mode` };
    case "fell-back":
      return { code: "PROXY_FELL_BACK", text: `kube-proxy cannot use the mode it was given and takes ${event.value}` };
    case "no-cluster-cidr":
      return {
        code: "NO_CLUSTER_CIDR",
        text: "kube-proxy was given no cluster CIDR: it cannot tell traffic from outside and does not masquerade it",
      };
    case "sysctl-refused":
      return { code: "SYSCTL_REFUSED", text: `${service} could not set ${event.value.replaceAll("/", ".")}` };
    case "strict-arp":
      return { code: "STRICT_ARP", text: `kube-proxy runs with strictARP ${event.value}` };
    case "rules-not-written":
      return {
        code: "RULES_NOT_WRITTEN",
        text: `${service} failed to write its rules (${event.value}): they may be old`,
      };
    case "policy-denied":
      return {
        code: "POLICY_DENIED",
        text: `the network plugin stopped ${formatAddress(event.src)}:${event.sport} > ${formatAddress(event.dst)}:${event.dport}`,
      };
    case "node-unknown":
      return { code: "NODE_UNKNOWN", text: `${service} does not know which node it runs on` };
    case "no-conntrack-tool":
      return { code: "NO_CONNTRACK_TOOL", text: `${service} cannot delete old entries of the connection table` };
  }
}

/** Errors that say nothing we know of: the first few kinds. */
const MAX_ERRORS = 5;

/** Each said once, with the first line that says it. */
export function fromServices({ serviceLines }: Observations): readonly DerivedFact[] {
  const facts = new Map<string, DerivedFact & { times: number }>();
  const add = (key: string, code: string, sentence: string, { origin }: ObservedServiceLine): void => {
    const known = facts.get(key);
    if (known === undefined) facts.set(key, { code, text: sentence, origins: [origin], times: 1 });
    else known.times++;
  };
  for (const line of serviceLines) {
    if (line.event === undefined) continue;
    const { code, text: phrase } = meaning(line.event, line.service ?? "a service");
    add(`${line.place.node} ${phrase}`, code, `${line.place.node}: ${phrase}`, line);
  }
  const events = facts.size;
  for (const line of serviceLines) {
    if (line.event !== undefined || (line.severity !== "error" && line.severity !== "fatal")) continue;
    const who = line.service ?? "a service";
    // Alike but for their numbers.
    const key = `error ${line.place.node} ${who} ${line.text.slice(0, 120).replace(/\d+/g, "0")}`;
    if (facts.has(key) || facts.size < events + MAX_ERRORS)
      add(key, "LOGGED_ERROR", `${line.place.node}: ${who} logged: ${line.text.slice(0, 200)}`, line);
  }
  return [...facts.values()].map(({ times, ...fact }) =>
    times === 1 ? fact : { ...fact, text: `${fact.text} (${times} times)` },
  );
}

/** What a Service becomes beyond this many endpoints is not looked for in logs. */
const MAX_TARGETS = 100;

/** Errors that name what was asked: its address, or its port as one that could not be had. The last of a kind counts. */
export function complaintsAbout(query: QuestionFlow, { serviceLines }: Observations): readonly Testimony[] {
  const hosts = new Set([query, ...(query.becomes ?? []).slice(0, MAX_TARGETS)].map(({ to }) => formatAddress(to)));
  const named = new RegExp(`(?<![\\d.:])(?:${[...hosts].join("|").replaceAll(".", "\\.")})(?![\\d.]*\\d)`);
  const isAbout = ({ event, severity, text: wording }: ObservedServiceLine): boolean => {
    if (event?.what === "port-taken")
      return event.port === query.port && event.protocol === protocolName(query.protocol);
    if (event !== undefined || (severity !== "error" && severity !== "fatal")) return false;
    return named.test(wording);
  };
  const last = new Map<string, ObservedServiceLine>();
  for (const line of serviceLines) if (isAbout(line)) last.set(`${line.place.node} ${line.event?.what ?? ""}`, line);
  return [...last.values()].map((line) => ({
    kind: "loss",
    text: text("evidence.service-complains", {
      service: line.service ?? line.place.node,
      what: line.text.slice(0, 300),
    }),
    origin: line.origin,
  }));
}
