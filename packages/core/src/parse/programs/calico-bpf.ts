import type { Reading } from "../dialect.ts";
import { originAt, type Source } from "../source.ts";

/**
 * `calico-node -bpf … dump`: its maps are there only where Felix runs in eBPF mode. Then it translates Services, when sockets connect
 * and at the cards.
 */
export function readCalicoBpf(source: Source): Reading {
  const first = source.lines.findIndex((l) => l.trim() !== "");
  const text = source.lines[first]?.trim() ?? "";
  if (!/^(?:\[\s*\{|\{|\[$|\d+\.\d+\.\d+\.\d+[:\s])/.test(text)) return { facts: [], diagnostics: [], counts: {} };
  const origin = originAt(source, first);
  const datapath = { owner: "Calico" as const, services: "all" as const, sockets: "all" as const, cards: true, origin };
  return { facts: [{ kind: "other-datapath", datapath }], diagnostics: [], counts: { lines: source.lines.length } };
}
