import { SEES } from "@hairpin/core/model/index.ts";
import { parseAddress, parsePrefix, protocolNumber } from "@hairpin/core/net/index.ts";
import type { Complaint } from "./complaint.ts";
import * as z from "./shape.ts";

/** The shape of case.yaml. Unknown keys are errors: a key that is silently ignored is a wrong answer later. */

const LONGEST = 10_000;
const text = z.text({ longest: LONGEST });
const matching = (pattern: RegExp, complaint: Complaint) => z.text({ longest: LONGEST, pattern, complaint });
const port = z.integer(1, 65_535);
/** A name or a number, as YAML may read `1003` either way. */
const word = z.becoming(z.either(text, z.number), String);

const refine = <T>(parse: (text: string) => T | undefined, complaint: Complaint) => z.becoming(text, parse, complaint);

const address = refine(parseAddress, "complaint.not-address");
const prefix = refine(parsePrefix, "complaint.not-prefix");
const protocol = refine(protocolNumber, "complaint.not-protocol");
const orOpen = z.either(z.boolean, z.exactly("?"));

const dumpFile = z.either(
  z.becoming(text, (path) => ({ path })),
  z.object({
    path: text,
    command: z.optional(text),
    stack: z.optional(text),
    routeTable: z.optional(z.either(z.integer(), text)),
    table: z.optional(z.oneOf(["raw", "mangle", "nat", "filter", "security"])),
    backend: z.optional(z.oneOf(["legacy", "nft"])),
    family: z.optional(z.either(z.exactly(4), z.exactly(6))),
    captureDevice: z.optional(text),
    moment: z.optional(z.oneOf(["before", "after"])),
    partial: z.optional(z.boolean),
  }),
);

const linkEnd = refine((value) => {
  const colon = value.lastIndexOf(":");
  return colon > 0 && colon < value.length - 1
    ? { stack: value.slice(0, colon), device: value.slice(colon + 1) }
    : undefined;
}, "complaint.not-link-end");

/** `80`, `80:31380`, `80:31380/udp`. */
const mappedPort = z.becoming(
  z.either(
    z.becoming(port, String),
    text,
    z.object({ port, protocol: z.optional(protocol), targetPort: z.optional(port) }),
  ),
  (value) => {
    if (typeof value !== "string")
      return { port: value.port, protocol: value.protocol ?? 6, targetPort: value.targetPort ?? value.port };
    const m = /^(\d{1,5})(?::(\d{1,5}))?(?:\/(\w+))?$/.exec(value);
    const number = m === null ? undefined : protocolNumber(m[3] ?? "tcp");
    if (m === null || number === undefined) return undefined;
    return { port: Number(m[1]), protocol: number, targetPort: Number(m[2] ?? m[1]) };
  },
  "complaint.not-port-mapping" satisfies Complaint,
);

const portRange = z.becoming(
  z.either(z.becoming(port, String), text),
  (value) => {
    const m = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(value);
    return m === null ? undefined : { from: Number(m[1]), to: Number(m[2] ?? m[1]) };
  },
  "complaint.not-port-range" satisfies Complaint,
);

const verdict = z.oneOf(["reachable", "unreachable", "intermittent", "undetermined"]);
const question = {
  from: z.optional(word),
  to: z.optional(word),
  proto: z.optional(z.oneOf(["tcp", "udp", "sctp", "icmp"])),
  in: z.optional(text),
  node: z.optional(text),
  via: z.optional(z.oneOf(["clusterip", "nodeport", "loadbalancer", "external"])),
  bind: z.optional(text),
  sport: z.optional(port),
  size: z.optional(z.integer(0, 65_535)),
  family: z.optional(z.either(z.exactly(4), z.exactly(6), z.exactly("both"))),
  sees: z.optional(z.oneOf(SEES)),
};

/** A patch, or a patch and what becomes of the question with it. */
const fix = z.becoming(
  z.either(z.listOf(text), z.object({ commands: z.listOf(text), verdict: z.optional(verdict) })),
  (value) => (Array.isArray(value) ? { commands: value } : value),
);

export const caseSchema = z.object({
  base: z.optional(matching(/^[a-z0-9][a-z0-9-]*$/, "complaint.not-topology")),
  question: z.optional(z.object(question)),
  expect: z.optional(
    z.object({
      verdict: z.optional(verdict),
      causes: z.optional(z.list(text)),
    }),
  ),
  nodes: z.optional(
    z.record(
      text,
      z.orNull(
        z.object({
          files: z.optional(z.listOf(dumpFile)),
          kernel: z.optional(word),
          kubeProxy: z.optional(
            z.object({ mode: z.optional(z.oneOf(["iptables", "ipvs", "nftables"])), version: z.optional(word) }),
          ),
        }),
      ),
    ),
  ),
  stacks: z.optional(
    z.list(
      z.object({
        name: text,
        kind: z.oneOf(["node", "pod", "vm", "router", "client", "lb"]),
        node: z.optional(text),
        dumps: z.optional(z.listOf(text)),
        addresses: z.optional(z.listOf(prefix)),
        gateway: z.optional(address),
        device: z.optional(text),
        mac: z.optional(matching(/^[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}$/, "complaint.not-mac")),
      }),
    ),
  ),
  links: z.optional(
    z.list(
      z.byField("type", {
        veth: z.object({ type: z.exactly("veth"), ends: z.pair(linkEnd) }),
        l2: z.object({ type: z.exactly("l2"), name: text, ends: z.list(linkEnd) }),
      }),
    ),
  ),
  fabric: z.optional(
    z.object({
      srcDstCheck: z.optional(orOpen),
      egressNat: z.optional(address),
      mtu: z.optional(z.integer(68, 65_535)),
      deny: z.optional(
        z.list(
          z.object({
            from: z.optional(prefix),
            to: z.optional(prefix),
            protocol: z.optional(protocol),
            port: z.optional(portRange),
          }),
        ),
      ),
    }),
  ),
  loadBalancers: z.optional(
    z.list(
      z.object({
        name: z.optional(text),
        address,
        ports: z.optional(z.listOf(mappedPort)),
        targets: z.optional(z.listOf(text)),
        preserveClient: z.optional(orOpen),
        vipBoundOnNode: z.optional(orOpen),
        forwarding: z.optional(z.oneOf(["nat", "passthrough"])),
        oneAtATime: z.optional(z.boolean),
        source: z.optional(address),
      }),
    ),
  ),
  listeners: z.optional(
    z.list(z.object({ stack: text, protocol: z.optional(protocol), address: z.optional(address), port })),
  ),
  assume: z.optional(z.record(text, z.either(word, z.boolean))),
  fixes: z.optional(z.record(text, fix)),
  controls: z.optional(z.record(text, z.object({ ...question, verdict }))),
});

export type CaseYaml = z.Out<typeof caseSchema>;
