import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, test } from "vitest";
import { ipv4Of } from "../../net/index.ts";
import { type Fact, factId, parseFactId } from "./index.ts";

const WORDS = new Set(
  "sysctl listen datagram-source address rule ip-rule netfilter nat ipset hairpin chain loop limit recent owner SET ipvs tunnel neighbour arrival multipath".split(
    " ",
  ),
);
const name = fc.stringMatching(/^[a-z][a-z0-9.-]{0,12}$/).filter((s) => !WORDS.has(s));
/** A node, or a pod with its namespace. */
const stack = fc.oneof(
  name,
  fc.tuple(name, name).map((parts) => parts.join("/")),
);
const address = fc.integer({ min: 0, max: 0xffffffff }).map(ipv4Of);
const at = fc.tuple(name, fc.integer({ min: 1, max: 9999 })).map(([file, line]) => `nodes/${file}:${line}`);

const facts: Record<Fact["kind"], fc.Arbitrary<Fact>> = {
  sysctl: fc.record({ kind: fc.constant("sysctl"), stack, key: name }),
  listen: fc.record({ kind: fc.constant("listen"), stack, port: fc.constantFrom("tcp/80", "udp/53") }),
  "datagram-source": fc.record({ kind: fc.constant("datagram-source"), stack, port: fc.constantFrom("udp/53") }),
  address: fc.record({ kind: fc.constant("address"), stack, address }),
  rule: fc.record({ kind: fc.constant("rule"), stack, at }),
  "ip-rule": fc.record({ kind: fc.constant("ip-rule"), stack, at }),
  "registered-first": fc.record({ kind: fc.constant("registered-first"), stack }),
  "native-order": fc.record({ kind: fc.constant("native-order"), stack }),
  "native-registered": fc.record({ kind: fc.constant("native-registered"), stack }),
  "beside-conntrack": fc.record({ kind: fc.constant("beside-conntrack"), stack }),
  multipath: fc.oneof(
    fc.record({ kind: fc.constant("multipath"), stack, iif: name, source: address, destination: address }),
    fc.record({
      kind: fc.constant("multipath"),
      stack,
      iif: name,
      source: address,
      destination: address,
      ports: fc.constant("tcp 40000 80"),
    }),
  ),
  masquerade: fc.record({ kind: fc.constant("masquerade"), stack }),
  ipset: fc.record({ kind: fc.constant("ipset"), stack, set: name, entry: fc.constant("tcp 10.0.0.1:80 dst,dst") }),
  hairpin: fc.record({ kind: fc.constant("hairpin"), stack, port: name }),
  chain: fc.record({ kind: fc.constant("chain"), stack, table: name, chain: name }),
  loop: fc.record({ kind: fc.constant("loop"), stack, table: name, chain: name }),
  limit: fc.record({ kind: fc.constant("limit"), stack, at }),
  recent: fc.record({ kind: fc.constant("recent"), stack, list: name }),
  owner: fc.record({ kind: fc.constant("owner"), stack, what: fc.constantFrom("uid", "gid") }),
  "set-target": fc.record({ kind: fc.constant("set-target"), stack, set: name }),
  kernel: fc.record({ kind: fc.constant("kernel"), stack }),
  conntrack: fc.record({ kind: fc.constant("conntrack"), stack }),
  "ipvs-rest": fc.record({ kind: fc.constant("ipvs-rest"), stack }),
  "tunnel-port": fc.record({ kind: fc.constant("tunnel-port"), stack, device: name }),
  "tunnel-remote": fc.record({ kind: fc.constant("tunnel-remote"), stack, device: name, address }),
  neighbour: fc.record({ kind: fc.constant("neighbour"), stack, device: name, address }),
  arrival: fc.record({ kind: fc.constant("arrival"), stack, address }),
  "src-dst-check": fc.constant({ kind: "src-dst-check" }),
  "far-tunnel-end": fc.record({ kind: fc.constant("far-tunnel-end"), address }),
  "load-balancer": fc.record({
    kind: fc.constant("load-balancer"),
    address,
    what: fc.constantFrom("preserveClient", "target"),
  }),
  endpoint: fc.record({ kind: fc.constant("endpoint"), address }),
  "endpoint-node": fc.record({ kind: fc.constant("endpoint-node"), address }),
  home: fc.record({ kind: fc.constant("home"), address }),
  "kube-proxy-mode": fc.constant({ kind: "kube-proxy-mode" }),
  other: fc.constantFrom("node-a/iptables", "node-a/route/default", "x").map((id) => ({ kind: "other", id })),
};

describe("an id of a fact says which fact it is", () => {
  test.each(Object.keys(facts) as Fact["kind"][])("%s", (kind) => {
    fc.assert(
      fc.property(facts[kind], (fact) => {
        expect(parseFactId(factId(fact))).toEqual(fact);
      }),
    );
  });

  test("any text is an id, and keeps its letters", () => {
    fc.assert(
      fc.property(fc.string(), (id) => {
        expect(factId(parseFactId(id))).toBe(id);
      }),
    );
  });

  test("ids are those that --assume always took", () => {
    expect(factId({ kind: "sysctl", stack: "node-a", key: "net.ipv4.conf.eth0.rp_filter" })).toBe(
      "node-a/sysctl/net.ipv4.conf.eth0.rp_filter",
    );
    expect(factId({ kind: "load-balancer", address: ipv4Of(0x0a000001), what: "preserveClient" })).toBe(
      "load-balancer/10.0.0.1/preserveClient",
    );
    expect(parseFactId("default/web-1/listen/tcp/80")).toEqual({
      kind: "listen",
      stack: "default/web-1",
      port: "tcp/80",
    });
  });
});
