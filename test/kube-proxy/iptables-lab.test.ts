import { programme } from "@hairpin/core/kubernetes/index.ts";
import { assumed, type CaseFile, type StackKind, type World } from "@hairpin/core/model/index.ts";
import { printTables } from "@hairpin/core/parse/iptables/index.ts";
import { resolveQuestion, trace } from "@hairpin/core/trace/index.ts";
import { conform } from "@hairpin/lab/conform.ts";
import { type LabBackend, netnsSupport, openNetns } from "@hairpin/lab/index.ts";
import { shopInput } from "@hairpin/testing/iptables/shop.ts";
import { worldOf } from "@hairpin/testing/world.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const support = netnsSupport();
if (!support.usable) console.warn(`SKIPPED: kube-proxy's rules walked and sent: ${support.reasons.join("; ")}`);

const origin = assumed("test");

interface Machine {
  readonly kind: StackKind;
  /** Device → its addresses. */
  readonly devices: Readonly<Record<string, readonly string[]>>;
  readonly routes: readonly string[];
  readonly rules?: string;
  readonly sysctls?: readonly string[];
  readonly listens?: readonly number[];
}

const PODS = { cart: "10.244.1.100", web: "10.244.1.5", pay: "10.244.1.9", old: "10.244.1.40" } as const;
const SERVED: Readonly<Record<string, readonly number[]>> = { web: [8080], pay: [8443], old: [7000] };
const ELSEWHERE = ["10.244.2.2", "10.244.2.7", "10.244.2.9", "10.244.2.30"];

/** Pods behind veths of worker-1, which runs kube-proxy; worker-2 with the other pods; a router with two outsiders behind it. */
function machines(version: string): Readonly<Record<string, Machine>> {
  const made = programme(shopInput(version));
  if (made.kind !== "programmed") throw new Error(made.mode);
  const { tables, sysctls } = made.families.find((f) => f.family === 4)!;
  const pods = Object.entries(PODS);
  const arp = pods.map(([name]) => `net.ipv4.conf.veth-${name}.proxy_arp = 1`);
  return {
    "worker-1": {
      kind: "node",
      devices: { eth0: ["192.0.2.11/24"], ...Object.fromEntries(pods.map(([name]) => [`veth-${name}`, []])) },
      routes: [
        "default via 192.0.2.1 dev eth0",
        "10.244.2.0/24 via 192.0.2.12 dev eth0",
        "192.0.2.0/24 dev eth0 proto kernel scope link src 192.0.2.11",
        ...pods.map(([name, address]) => `${address} dev veth-${name} scope link`),
      ],
      rules: printTables(tables),
      sysctls: ["net.ipv4.ip_forward = 1", ...arp, ...sysctls.map((s) => `${s.key} = ${s.value}`)],
    },
    ...Object.fromEntries(
      pods.map(([name, address]): [string, Machine] => [
        name,
        {
          kind: "client",
          devices: { eth0: [`${address}/32`] },
          routes: ["default dev eth0 scope link"],
          listens: SERVED[name] ?? [],
        },
      ]),
    ),
    "worker-2": {
      kind: "client",
      devices: { eth0: ["192.0.2.12/24", ...ELSEWHERE.map((a) => `${a}/32`)] },
      routes: [
        "default via 192.0.2.1 dev eth0",
        "10.244.1.0/24 via 192.0.2.11 dev eth0",
        "192.0.2.0/24 dev eth0 proto kernel scope link src 192.0.2.12",
      ],
      listens: [8080, 8443, 9090],
    },
    router: {
      kind: "router",
      devices: { lan: ["192.0.2.1/24"], wan: ["203.0.113.1/24"], far: ["198.18.0.1/24"] },
      routes: [
        ...["10.96.0.0/16", "198.51.100.0/24", "10.244.1.0/24"].map((to) => `${to} via 192.0.2.11 dev lan`),
        "192.0.2.0/24 dev lan proto kernel scope link src 192.0.2.1",
        "203.0.113.0/24 dev wan proto kernel scope link src 203.0.113.1",
        "198.18.0.0/24 dev far proto kernel scope link src 198.18.0.1",
      ],
      sysctls: ["net.ipv4.ip_forward = 1"],
    },
    customer: {
      kind: "client",
      devices: { eth0: ["203.0.113.5/24"] },
      routes: ["default via 203.0.113.1 dev eth0", "203.0.113.0/24 dev eth0 proto kernel scope link src 203.0.113.5"],
    },
    stranger: {
      kind: "client",
      devices: { eth0: ["198.18.0.5/24"] },
      routes: ["default via 198.18.0.1 dev eth0", "198.18.0.0/24 dev eth0 proto kernel scope link src 198.18.0.5"],
    },
  };
}

const LINKS: readonly (readonly string[])[] = [
  ...Object.keys(PODS).map((name) => [`${name}:eth0`, `worker-1:veth-${name}`]),
  ["worker-1:eth0", "worker-2:eth0", "router:lan"],
  ["customer:eth0", "router:wan"],
  ["stranger:eth0", "router:far"],
];

function dumpsOf(name: string, ordinal: number, machine: Machine): Readonly<Record<string, string>> {
  const inet = (address: string, device: string) =>
    `    inet ${address} scope global ${device}\n       valid_lft forever preferred_lft forever\n`;
  const devices = Object.entries(machine.devices);
  const cards = devices.map(
    ([device, addresses], i) =>
      `${i + 2}: ${device}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000\n` +
      `    link/ether 02:00:00:00:0${ordinal}:0${i + 1} brd ff:ff:ff:ff:ff:ff\n${addresses.map((a) => inet(a, device)).join("")}`,
  );
  const lo =
    "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000\n" +
    "    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n    inet 127.0.0.1/8 scope host lo\n" +
    "       valid_lft forever preferred_lft forever\n";
  const lax = ["all", ...devices.map(([d]) => d)].map((d) => `net.ipv4.conf.${d}.rp_filter = 0`);
  const at = `nodes/${name}`;
  return {
    [`${at}/ip-addr.txt`]: lo + cards.join(""),
    [`${at}/ip-route.txt`]: `${machine.routes.join("\n")}\n`,
    [`${at}/sysctl.txt`]: `${[...lax, ...(machine.sysctls ?? [])].join("\n")}\n`,
    ...(machine.rules === undefined ? {} : { [`${at}/iptables-save.txt`]: machine.rules }),
  };
}

function shop(version: string): World {
  const all = Object.entries(machines(version));
  const end = (text: string) => ({ stack: text.split(":")[0]!, device: text.split(":")[1]! });
  const caseFile: CaseFile = {
    file: "case.yaml",
    nodes: [],
    stacks: all.map(([name, { kind }]) => ({ name, kind, dumps: [`nodes/${name}`], addresses: [], origin })),
    links: LINKS.map((ends, i) =>
      ends.length === 2
        ? { type: "veth", ends: [end(ends[0]!), end(ends[1]!)], origin }
        : { type: "l2", name: `segment${i}`, ends: ends.map(end), origin },
    ),
    loadBalancers: [],
    listeners: all.flatMap(([stack, { listens = [] }]) =>
      listens.map((port) => ({ stack, port, protocol: 6, origin })),
    ),
    assume: [],
    fixes: [],
  };
  return worldOf(Object.assign({}, ...all.map(([name, m], i) => dumpsOf(name, i + 1, m))), caseFile);
}

const QUESTIONS: readonly (readonly [from: string, to: string, about: string])[] = [
  ["stack/cart", "10.96.10.1:80", "a pod to a cluster IP"],
  ["stack/web", "10.96.10.1:80", "an endpoint to its own Service"],
  ["stack/worker-1", "10.96.20.1:443", "the node to a cluster IP"],
  ["stack/customer", "192.0.2.11:30080", "an outsider to a NodePort"],
  ["stack/customer", "198.51.100.7:80", "an outsider to an external IP"],
  ["stack/customer", "198.51.100.20:443", "an admitted outsider to a load balancer IP of the Local policy"],
  ["stack/stranger", "198.51.100.20:443", "an outsider who is not admitted"],
  ["stack/stranger", "192.0.2.11:30443", "the same by NodePort, which nobody guards"],
  ["stack/cart", "198.51.100.20:443", "a pod to a load balancer IP"],
  ["stack/customer", "192.0.2.11:30090", "an outsider to a Local NodePort without a local endpoint"],
  ["stack/cart", "192.0.2.11:30090", "a pod to the same"],
  ["stack/cart", "10.96.30.1:9090", "a pod to a Local cluster IP without a local endpoint"],
  ["stack/customer", "198.51.100.40:7000", "an outsider to an endpoint on its way out"],
  ["stack/customer", "10.96.10.1:80", "an outsider to a cluster IP"],
];

describe.skipIf(!support.usable)("on the model's rules the kernel does what the walk says", () => {
  let lab: LabBackend;
  beforeAll(async () => {
    lab = await openNetns();
  });
  afterAll(async () => {
    await lab?.close();
  });

  describe.each(["1.20.15", "1.24.17", "1.37.0"])("kube-proxy %s", (version) => {
    const made = shop(version);
    test.each(QUESTIONS)("%s > %s: %s", async (from, to) => {
      const resolved = resolveQuestion(made, { from, to, proto: "tcp" });
      if (resolved.ok !== true) throw new Error(JSON.stringify(resolved));
      const exploration = trace(resolved.world, resolved.question);
      expect(exploration.facts).toEqual([]);
      const result = await conform(lab, exploration, resolved.question, new Map());
      expect(result.observations.problems).toEqual([]);
      expect(result.differences).toEqual([]);
    });
  });
});
