import { SEES } from "@hairpin/core/model/index.ts";
import { parseAddress, parsePrefix, protocolNumber } from "@hairpin/core/net/index.ts";
import * as z from "zod/mini";
import type { Complaint } from "./complaint.ts";

/** The shape of case.yaml. Unknown keys are errors: a key that is silently ignored is a wrong answer later. */

const text = z.string().check(z.minLength(1), z.maxLength(10_000));
const number = z.number();
const port = z.int().check(z.minimum(1), z.maximum(65_535));
/** A name or a number, as YAML may read `1003` either way. */
const word = z.pipe(
  z.union([text, number]),
  z.transform((value) => String(value)),
);

const refine = <T>(parse: (text: string) => T | undefined, complaint: Complaint) =>
  z.pipe(
    text,
    z.transform((value, context) => {
      const parsed = parse(value);
      if (parsed === undefined) context.issues.push({ code: "custom", message: complaint, input: value });
      return parsed as T;
    }),
  );

const address = refine(parseAddress, "complaint.not-address");
const prefix = refine(parsePrefix, "complaint.not-prefix");
const protocol = refine(protocolNumber, "complaint.not-protocol");
const orOpen = z.union([z.boolean(), z.literal("?")]);
const listOf = <T extends z.ZodMiniType>(one: T) =>
  z.pipe(
    z.union([one, z.array(one)]),
    z.transform((value) => (Array.isArray(value) ? value : [value]) as z.output<T>[]),
  );

const dumpFile = z.union([
  z.pipe(
    text,
    z.transform((path) => ({ path })),
  ),
  z.strictObject({
    path: text,
    command: z.optional(text),
    stack: z.optional(text),
    routeTable: z.optional(z.union([z.int(), text])),
    table: z.optional(z.enum(["raw", "mangle", "nat", "filter", "security"])),
    backend: z.optional(z.enum(["legacy", "nft"])),
    family: z.optional(z.union([z.literal(4), z.literal(6)])),
    captureDevice: z.optional(text),
    moment: z.optional(z.enum(["before", "after"])),
    partial: z.optional(z.boolean()),
  }),
]);

const linkEnd = refine((value) => {
  const colon = value.lastIndexOf(":");
  return colon > 0 && colon < value.length - 1
    ? { stack: value.slice(0, colon), device: value.slice(colon + 1) }
    : undefined;
}, "complaint.not-link-end");

/** `80`, `80:31380`, `80:31380/udp`. */
const mappedPort = z.pipe(
  z.union([
    z.pipe(port, z.transform(String)),
    text,
    z.strictObject({ port, protocol: z.optional(protocol), targetPort: z.optional(port) }),
  ]),
  z.transform((value, context) => {
    if (typeof value !== "string") {
      return { port: value.port, protocol: value.protocol ?? 6, targetPort: value.targetPort ?? value.port };
    }
    const m = /^(\d{1,5})(?::(\d{1,5}))?(?:\/(\w+))?$/.exec(value);
    const number = m === null ? undefined : protocolNumber(m[3] ?? "tcp");
    if (m === null || number === undefined) {
      context.issues.push({
        code: "custom",
        message: "complaint.not-port-mapping" satisfies Complaint,
        input: value,
      });
      return { port: 0, protocol: 6, targetPort: 0 };
    }
    return { port: Number(m[1]), protocol: number, targetPort: Number(m[2] ?? m[1]) };
  }),
);

const portRange = z.pipe(
  z.union([z.pipe(port, z.transform(String)), text]),
  z.transform((value, context) => {
    const m = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(value);
    if (m === null)
      context.issues.push({ code: "custom", message: "complaint.not-port-range" satisfies Complaint, input: value });
    return { from: Number(m?.[1] ?? 0), to: Number(m?.[2] ?? m?.[1] ?? 0) };
  }),
);

const verdict = z.enum(["reachable", "unreachable", "intermittent", "undetermined"]);
const question = {
  from: z.optional(word),
  to: z.optional(word),
  proto: z.optional(z.enum(["tcp", "udp", "sctp", "icmp"])),
  in: z.optional(text),
  node: z.optional(text),
  via: z.optional(z.enum(["clusterip", "nodeport", "loadbalancer", "external"])),
  bind: z.optional(text),
  sport: z.optional(port),
  size: z.optional(z.int().check(z.minimum(0), z.maximum(65_535))),
  family: z.optional(z.union([z.literal(4), z.literal(6), z.literal("both")])),
  sees: z.optional(z.enum(SEES)),
};

/** A patch, or a patch and what becomes of the question with it. */
const fix = z.pipe(
  z.union([listOf(text), z.strictObject({ commands: listOf(text), verdict: z.optional(verdict) })]),
  z.transform((value) => (Array.isArray(value) ? { commands: value } : value)),
);

export const caseSchema = z.strictObject({
  base: z.optional(text.check(z.regex(/^[a-z0-9][a-z0-9-]*$/, "complaint.not-topology" satisfies Complaint))),
  question: z.optional(z.strictObject(question)),
  expect: z.optional(
    z.strictObject({
      verdict: z.optional(verdict),
      causes: z.optional(z.array(text)),
    }),
  ),
  nodes: z.optional(
    z.record(
      text,
      z.nullable(
        z.strictObject({
          files: z.optional(listOf(dumpFile)),
          kernel: z.optional(word),
          kubeProxy: z.optional(
            z.strictObject({ mode: z.optional(z.enum(["iptables", "ipvs", "nftables"])), version: z.optional(word) }),
          ),
        }),
      ),
    ),
  ),
  stacks: z.optional(
    z.array(
      z.strictObject({
        name: text,
        kind: z.enum(["node", "pod", "vm", "router", "client", "lb"]),
        node: z.optional(text),
        dumps: z.optional(listOf(text)),
        addresses: z.optional(listOf(prefix)),
        gateway: z.optional(address),
        device: z.optional(text),
        mac: z.optional(
          text.check(z.regex(/^[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}$/, "complaint.not-mac" satisfies Complaint)),
        ),
      }),
    ),
  ),
  links: z.optional(
    z.array(
      z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("veth"), ends: z.tuple([linkEnd, linkEnd]) }),
        z.strictObject({ type: z.literal("l2"), name: text, ends: z.array(linkEnd) }),
      ]),
    ),
  ),
  fabric: z.optional(
    z.strictObject({
      srcDstCheck: z.optional(orOpen),
      egressNat: z.optional(address),
      mtu: z.optional(z.int().check(z.minimum(68), z.maximum(65_535))),
      deny: z.optional(
        z.array(
          z.strictObject({
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
    z.array(
      z.strictObject({
        name: z.optional(text),
        address,
        ports: z.optional(listOf(mappedPort)),
        targets: z.optional(listOf(text)),
        preserveClient: z.optional(orOpen),
        vipBoundOnNode: z.optional(orOpen),
        forwarding: z.optional(z.enum(["nat", "passthrough"])),
        oneAtATime: z.optional(z.boolean()),
        source: z.optional(address),
      }),
    ),
  ),
  listeners: z.optional(
    z.array(z.strictObject({ stack: text, protocol: z.optional(protocol), address: z.optional(address), port })),
  ),
  assume: z.optional(z.record(text, z.union([word, z.boolean()]))),
  fixes: z.optional(z.record(text, fix)),
  controls: z.optional(z.record(text, z.strictObject({ ...question, verdict }))),
});

export type CaseYaml = z.output<typeof caseSchema>;
