import { haveReference } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { parseVersion, proxyConfigOf, viewOf } from "../../packages/core/src/kubernetes/index.ts";
import type { World } from "../../packages/core/src/model/index.ts";
import { formatAddress } from "../../packages/core/src/net/index.ts";
import { ask, isLarge, type ObjectsCase, objectCases, type Probe, questionOf, worldOfCase } from "./objects-harness.ts";
import { ownCase } from "./own-cases.ts";

/** One end of a request: `delivered 10.0.0.1:80 masqueraded`, `rejected`. */
interface Fate {
  readonly disposition: string;
  readonly end: string;
  readonly masqueraded: boolean;
}

function fatesOf(world: World, c: ObjectsCase, probe: Probe): readonly Fate[] {
  const { branches, error } = ask(world, questionOf(c, probe));
  if (error !== undefined) throw new Error(error);
  return branches.map(({ request: { disposition, final, masqueraded } }) => ({
    disposition,
    end: `${formatAddress(final.dst)}:${final.dport}`,
    masqueraded,
  }));
}

const shown = (fates: readonly Fate[]): string =>
  [
    ...new Set(
      fates.map(({ disposition, end, masqueraded }) =>
        disposition === "delivered" || disposition === "forwarded"
          ? `${disposition} ${end}${masqueraded ? " masqueraded" : ""}`
          : disposition,
      ),
    ),
  ]
    .sort()
    .join(", ");

const ends = (fates: readonly Fate[]): ReadonlySet<string> => new Set(fates.map((f) => f.end));
const all = (fates: readonly Fate[], ...dispositions: readonly string[]): boolean =>
  fates.every((f) => dispositions.includes(f.disposition));

/** What a probe is about, as far as the documented differences turn on it. */
interface Facts {
  readonly probe: Probe;
  readonly minor: number;
  readonly patch: number;
  /** The policy that holds for the address asked is Local. */
  readonly localPolicy: boolean;
  readonly local: ReadonlySet<string>;
  readonly cluster: ReadonlySet<string>;
  readonly hasSourceRanges: boolean;
}

function factsOf(world: World, c: ObjectsCase, probe: Probe): Facts {
  const version = parseVersion(c.versions[0]!)!;
  const [node] = world.kubernetes.nodes;
  const proxyNode = { ...node!, labels: node!.labels ?? {} };
  const config = proxyConfigOf(world.kubernetes.kubeProxyConfigs[0]);
  const view = viewOf({ ...world.kubernetes, node: proxyNode, config, version }, 4);
  const inside = probe.target?.startsWith("ClusterIP") === true;
  const port = view.ports.find(
    ({ port: p }) =>
      `${p.service.namespace}/${p.service.name}` === probe.service &&
      [p.port, p.nodePort].includes(inside && probe.target !== "ClusterIP" ? p.port : probe.destPort) &&
      p.protocolName === (probe.protocol ?? "tcp"),
  );
  return {
    probe,
    minor: version.minor,
    patch: version.patch,
    localPolicy: (inside ? port?.port.internalPolicyLocal : port?.port.externalPolicyLocal) ?? false,
    local: new Set(port?.chosen.local.map((e) => e.text)),
    cluster: new Set(port?.chosen.cluster.map((e) => e.text)),
    hasSourceRanges: (port?.port.sourceRanges.length ?? 0) > 0,
  };
}

/** docs/kube-proxy.md, "Where the modes differ": when a difference is to be expected, and what it then looks like. */
interface Difference {
  readonly code: string;
  readonly when: (facts: Facts) => boolean;
  readonly looks: (iptables: readonly Fate[], ipvs: readonly Fate[], facts: Facts) => boolean;
}

const isSubset = (some: ReadonlySet<string>, of: ReadonlySet<string>): boolean => [...some].every((x) => of.has(x));

const DIFFERENCES: readonly Difference[] = [
  {
    code: "port-without-service",
    when: ({ probe }) => probe.target === "ClusterIP-undefined-port",
    looks: (iptables, ipvs) => all(iptables, "forwarded") && all(ipvs, "rejected"),
  },
  {
    code: "node-port-on-localhost",
    when: ({ probe }) => probe.target === "NodePort@localhost",
    looks: (_, ipvs) => all(ipvs, "rejected", "dropped"),
  },
  {
    code: "local-external-ip-refused",
    when: ({ probe, localPolicy, minor, patch }) =>
      probe.target === "ExternalIP" &&
      localPolicy &&
      (minor === 26 || minor === 27 || (minor === 28 && patch < 6) || (minor === 29 && patch < 1)),
    looks: (_, ipvs, { probe }) => all(ipvs, probe.from === "node" ? "delivered" : "rejected"),
  },
  {
    code: "nothing-behind",
    when: ({ cluster, local }) => cluster.size === 0 && local.size === 0,
    looks: (iptables, ipvs) => all(iptables, "rejected", "forwarded", "dropped") && all(ipvs, "rejected"),
  },
  {
    code: "local-policy-without-local-endpoint",
    when: ({ localPolicy, local }) => localPolicy && local.size === 0,
    looks: (_, ipvs, { minor, cluster }) =>
      minor < 24 || cluster.size === 0
        ? all(ipvs, "rejected")
        : all(ipvs, "delivered", "forwarded") && isSubset(ends(ipvs), cluster),
  },
  {
    code: "source-ranges-and-the-node",
    when: ({ hasSourceRanges, probe }) => hasSourceRanges && probe.target === "LoadBalancerIP" && probe.from === "node",
    looks: (iptables, ipvs) => all(iptables, "dropped") && all(ipvs, "delivered"),
  },
  {
    code: "source-ranges-of-what-is-forwarded",
    when: ({ hasSourceRanges, probe, minor }) => hasSourceRanges && probe.target === "LoadBalancerIP" && minor < 25,
    looks: (iptables, ipvs) => all(iptables, "forwarded") && all(ipvs, "dropped"),
  },
  {
    code: "external-ip-asked-by-the-node",
    when: ({ probe, minor }) => probe.target === "ExternalIP" && probe.from === "node" && minor < 21,
    looks: (iptables, ipvs) => all(iptables, "forwarded") && all(ipvs, "delivered"),
  },
  {
    code: "local-policy-for-every-source",
    when: ({ localPolicy, local, probe }) =>
      localPolicy && local.size > 0 && (probe.from === "pod" || probe.from === "node"),
    looks: (_, ipvs, { local }) =>
      all(ipvs, "delivered", "forwarded") && isSubset(ends(ipvs), local) && ipvs.every((f) => !f.masqueraded),
  },
  {
    code: "hairpin-of-an-endpoint-elsewhere",
    when: ({ cluster, probe }) =>
      probe.target === "ClusterIP" && [...cluster].some((e) => e.startsWith(`${probe.sourceIP}:`)),
    looks: (iptables, ipvs, { probe }) => {
      const itself = (f: Fate) => f.end.startsWith(`${probe.sourceIP}:`);
      const others = (fates: readonly Fate[]) => shown(fates.filter((f) => !itself(f)));
      return (
        iptables.filter(itself).every((f) => f.masqueraded) &&
        ipvs.filter(itself).every((f) => !f.masqueraded) &&
        others(iptables) === others(ipvs)
      );
    },
  },
  {
    code: "external-ip-asked-by-pods",
    when: ({ probe, minor }) => probe.target === "ExternalIP" && probe.from === "pod" && minor < 24,
    looks: (iptables, ipvs) => !iptables.some((f) => f.masqueraded) && ipvs.every((f) => f.masqueraded),
  },
];

interface Compared {
  /** How often each documented difference was seen. */
  readonly seen: ReadonlyMap<string, number>;
  readonly same: number;
  readonly unexplained: readonly string[];
}

function compare(c: ObjectsCase): Compared {
  const worlds = { iptables: worldOfCase(c, { mode: "iptables" }), ipvs: worldOfCase(c, { mode: "ipvs" }) };
  const seen = new Map<string, number>();
  const unexplained: string[] = [];
  let same = 0;
  for (const probe of c.probes) {
    // No Service has port 0; the recorded tests do, and to IPVS it means any port.
    if (probe.destPort === 0) continue;
    const iptables = fatesOf(worlds.iptables, c, probe);
    const ipvs = fatesOf(worlds.ipvs, c, probe);
    if (shown(iptables) === shown(ipvs)) {
      same++;
      continue;
    }
    const facts = factsOf(worlds.iptables, c, probe);
    const known = DIFFERENCES.find((d) => d.when(facts));
    if (known?.looks(iptables, ipvs, facts) === true) seen.set(known.code, (seen.get(known.code) ?? 0) + 1);
    else
      unexplained.push(
        `${c.name} ${probe.from} ${probe.sourceIP} > ${probe.target} ${probe.destIP}:${probe.destPort}: iptables ${shown(iptables)}; ipvs ${shown(ipvs)} (${known?.code})`,
      );
  }
  return { seen, same, unexplained };
}

describe("the same objects in iptables and in IPVS mode", () => {
  test.each(["v1.18.20", "v1.20.15", "v1.21.14", "v1.23.17", "v1.25.16", "v1.28.5", "v1.31.4", "v1.37.0"])(
    "kube-proxy %s: every difference is a documented one",
    (version) => {
      const { unexplained, same, seen } = compare(ownCase(version));
      expect(unexplained).toEqual([]);
      expect(same).toBeGreaterThan(40);
      expect(seen.size).toBeGreaterThan(4);
    },
  );

  test("every documented difference but those of a release shows in the newest", () => {
    const { seen } = compare(ownCase("v1.37.0"));
    const ofARelease = [
      "local-external-ip-refused",
      "source-ranges-of-what-is-forwarded",
      "external-ip-asked-by-pods",
      "external-ip-asked-by-the-node",
    ];
    expect([...seen.keys()].sort()).toEqual(
      DIFFERENCES.map((d) => d.code)
        .filter((code) => !ofARelease.includes(code))
        .sort(),
    );
  });
});

const cases = haveReference ? objectCases("objects-rules", "iptables").filter((c) => c.ipFamily === "IPv4") : [];

describe.skipIf(!haveReference)("recorded objects in iptables and in IPVS mode", () => {
  test.each(cases.filter((c) => !isLarge(c)).map((c) => [c.name, c] as const))("%s", (_, c) => {
    expect(compare(c).unexplained).toEqual([]);
  });
});
