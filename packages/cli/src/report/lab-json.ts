import type { Conformance } from "@hairpin/lab/conform.ts";

export const LAB_SCHEMA = "hairpin/lab/1";

/** `lab --json`: per hypothesis what the kernel did, what the walk predicted, and where they differ. */
export function labJson(results: readonly Conformance[]): unknown {
  return {
    schema: LAB_SCHEMA,
    agrees: results.every((r) => r.explained !== undefined),
    hypotheses: results.map((r) => {
      const branch = r.explained ?? r.branches[0];
      return {
        hypothesis: Object.fromEntries(r.hypothesis),
        backend: r.observations.backend,
        kernel: r.observations.kernel,
        agrees: r.explained !== undefined,
        differences: r.differences,
        clientSees: { kernel: r.clientSees ?? null, walk: branch?.clientSees ?? null },
        hooks: {
          kernel: r.observed.map((h) => `${h.stack} ${h.text}`),
          walk: r.predicted.map((h) => `${h.stack} ${h.text}`),
        },
        notMadeReal: r.realised.remarks.map((m) => ({ kind: m.kind, stack: m.stack ?? null, text: m.text })),
        refused: r.observations.problems,
      };
    }),
  };
}
