import type { Sweep, SweptClass } from "@hairpin/core/sweep/index.ts";

type Of = Pick<SweptClass, "verdict"> & {
  readonly from: SweptClass["from"]["kind"];
  readonly service: string;
  readonly flows: number;
  readonly code?: string;
  readonly summary?: string;
  readonly commands?: readonly string[];
  readonly fact?: string;
};

/** A class of flows as a sweep would have found it, without a walk. */
export function madeClass(number: number, of: Of): SweptClass {
  const address = `10.96.${number >> 8}.${number & 255}`;
  const { code, commands, fact } = of;
  return {
    id: `${number}.0`,
    from: { kind: of.from, node: "node-1", nodes: 1, example: `${of.from}/shop/web-${number}` },
    to: { kind: "service", service: of.service, address, addresses: 1, port: 80, via: "clusterip" },
    proto: "tcp",
    family: 4,
    flows: of.flows,
    verdict: of.verdict,
    clientSees: of.verdict === "reachable" ? "connected" : "timeout",
    leaning: null,
    causes:
      code === undefined
        ? []
        : [
            {
              code,
              certainty: "proven",
              stack: "node-1",
              summary: of.summary ?? `${code} of ${of.service}`,
              evidence: [],
            },
          ],
    facts: fact === undefined ? [] : [{ fact, command: `ssh node-1 sysctl ${fact}` }],
    fix: commands === undefined ? null : { code: "FIX", summary: "a fix", commands, names: [] },
    example: { from: `${of.from}/shop/web-${number}`, to: `${address}:80`, proto: "tcp" },
  };
}

export function madeSweep(classes: readonly SweptClass[]): Sweep {
  const flows = classes.reduce((n, c) => n + c.flows, 0);
  return { classes, flows, answered: flows, walks: classes.length };
}

/** Many Services in namespaces of a hundred; every fifteenth fails for everybody, every tenth for some, every seventh is open. */
export const manyServices = (count: number): Sweep =>
  madeSweep(
    Array.from({ length: count }, (_, i) => {
      const service = `team-${Math.floor(i / 100)}/svc-${i}`;
      const broken = {
        verdict: "unreachable",
        code: "NO_ENDPOINTS",
        commands: [`kubectl -n team scale ${service}`],
      } as const;
      const asked = { service, flows: 5 };
      const pods = i % 15 === 0 || i % 10 === 0 ? broken : { verdict: "reachable" as const };
      const nodes =
        i % 15 === 0
          ? broken
          : i % 7 === 0
            ? { verdict: "undetermined" as const, fact: `node-${i % 3}/net.ipv4.ip_forward` }
            : { verdict: "reachable" as const };
      return [
        madeClass(2 * i, { ...asked, ...pods, from: "pod" }),
        madeClass(2 * i + 1, { ...asked, ...nodes, from: "node" }),
      ];
    }).flat(),
  );
