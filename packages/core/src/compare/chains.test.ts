import { compare } from "@hairpin/core/compare/index.ts";
import { nodeFiles, worldOf } from "@hairpin/testing/compared-node.ts";
import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, it } from "vitest";

/**
 * Chains of plain rules, held against every packet of a small world: the comparison may say that two chains differ only if
 * some packet shows it, and may be silent only if none does.
 */
interface PlainRule {
  readonly src?: string;
  readonly dst?: string;
  readonly proto?: "tcp" | "udp";
  readonly dport?: number;
  readonly verdict: "ACCEPT" | "DROP" | "RETURN" | "EXTRA";
}

const SOURCES = ["10.244.1.5", "10.244.1.6", "203.0.113.77", "198.51.100.7"];
const TARGETS = ["10.244.2.7", "10.244.2.9", "10.244.3.3", "198.51.100.99"];
const PORTS = [80, 443, 9];

const prefix = (choices: readonly string[]) => fc.option(fc.constantFrom(...choices), { nil: undefined });
const rule = (verdicts: readonly PlainRule["verdict"][]): fc.Arbitrary<PlainRule> =>
  fc
    .record({
      src: prefix(["10.244.1.5/32", "10.244.1.0/24", "203.0.113.0/24"]),
      dst: prefix(["10.244.2.7/32", "10.244.2.0/24", "10.244.3.3/32"]),
      proto: fc.option(fc.constantFrom("tcp" as const, "udp" as const), { nil: undefined }),
      dport: fc.option(fc.constantFrom(80, 443), { nil: undefined }),
      verdict: fc.constantFrom(...verdicts),
    })
    .map(({ src, dst, proto, dport, verdict }) => ({
      ...(src !== undefined && { src }),
      ...(dst !== undefined && { dst }),
      ...(proto !== undefined && { proto, ...(dport !== undefined && { dport }) }),
      verdict,
    }));

interface Chains {
  readonly forward: readonly PlainRule[];
  readonly extra: readonly PlainRule[];
}
const chains: fc.Arbitrary<Chains> = fc.record({
  forward: fc.array(rule(["ACCEPT", "DROP", "RETURN", "EXTRA"]), { maxLength: 5 }),
  extra: fc.array(rule(["ACCEPT", "DROP", "RETURN"]), { minLength: 1, maxLength: 3 }),
});

const spec = (r: PlainRule, chain: string): string =>
  [
    `-A ${chain}`,
    ...(r.src === undefined ? [] : [`-s ${r.src}`]),
    ...(r.dst === undefined ? [] : [`-d ${r.dst}`]),
    ...(r.proto === undefined ? [] : [`-p ${r.proto}`]),
    ...(r.dport === undefined ? [] : [`-m ${r.proto} --dport ${r.dport}`]),
    `-j ${r.verdict}`,
  ].join(" ");

function files({ forward, extra }: Chains, name = "EXTRA") {
  const text = `*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:${name} - [0:0]
${forward.map((r) => spec(r, "FORWARD")).join("\n")}
${extra.map((r) => spec(r, name)).join("\n")}
COMMIT
*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
COMMIT
`.replaceAll("-j EXTRA", `-j ${name}`);
  return { ...nodeFiles([]), "iptables-save.txt": text.replaceAll(/\n{2,}/g, "\n") };
}

interface Header {
  readonly src: string;
  readonly dst: string;
  readonly proto: string;
  readonly dport: number;
}
const number = (a: string): number => a.split(".").reduce((n, p) => n * 256 + Number(p), 0);
function covers(p: string, a: string): boolean {
  const [net, length] = p.split("/");
  return Math.floor(number(net!) / 2 ** (32 - Number(length))) === Math.floor(number(a) / 2 ** (32 - Number(length)));
}
const matches = (r: PlainRule, h: Header): boolean =>
  (r.src === undefined || covers(r.src, h.src)) &&
  (r.dst === undefined || covers(r.dst, h.dst)) &&
  (r.proto === undefined || r.proto === h.proto) &&
  (r.dport === undefined || r.dport === h.dport);

function passes({ forward, extra }: Chains, h: Header): boolean {
  for (const r of forward) {
    if (!matches(r, h)) continue;
    if (r.verdict === "ACCEPT" || r.verdict === "RETURN") return true;
    if (r.verdict === "DROP") return false;
    for (const e of extra) {
      if (!matches(e, h)) continue;
      if (e.verdict === "RETURN") break;
      return e.verdict === "ACCEPT";
    }
  }
  return true;
}

/** There, and back from a port that no rule asks for. */
const fate = (c: Chains, h: Header): string =>
  `${passes(c, h)} ${passes(c, { src: h.dst, dst: h.src, proto: h.proto, dport: 40000 })}`;

function differingPackets(a: Chains, b: Chains): readonly Header[] {
  const out: Header[] = [];
  for (const [s, t] of [...pairs(SOURCES, TARGETS), ...pairs(TARGETS, SOURCES)])
    for (const proto of ["tcp", "udp"])
      for (const dport of PORTS) {
        const h = { src: s, dst: t, proto, dport };
        if (fate(a, h) !== fate(b, h)) out.push(h);
      }
  return out;
}
const pairs = (xs: readonly string[], ys: readonly string[]) => xs.flatMap((x) => ys.map((y) => [x, y] as const));

const changed = fc.record({ at: fc.nat(9), to: fc.nat(9), how: fc.constantFrom("remove", "move", "flip", "insert") });

function change(c: Chains, { at, to, how }: { at: number; to: number; how: string }, fresh: PlainRule): Chains {
  const list = [...c.forward];
  const i = list.length === 0 ? 0 : at % list.length;
  if (how === "insert") list.splice(to % (list.length + 1), 0, fresh);
  else if (list.length > 0 && how === "remove") list.splice(i, 1);
  else if (list.length > 0 && how === "move") list.splice(to % list.length, 0, ...list.splice(i, 1));
  else if (list.length > 0) list[i] = { ...list[i]!, verdict: list[i]!.verdict === "DROP" ? "ACCEPT" : "DROP" };
  return { ...c, forward: list };
}

const NODES = [{ a: "n1", b: "n1" }];

describe("hairpin diff, any chain of plain rules", () => {
  it("differs exactly where a packet does", () => {
    const seen = { different: 0, alike: 0, undecided: 0 };
    fc.assert(
      fc.property(chains, changed, rule(["ACCEPT", "DROP", "RETURN", "EXTRA"]), (c, how, fresh) => {
        const other = change(c, how, fresh);
        const c2 = compare({ world: worldOf(files(c)) }, { world: worldOf(files(other, "OTHER-NAME")) }, NODES, {
          sameNode: true,
        });
        const truth = differingPackets(c, other);
        if (truth.length > 0) {
          seen.different++;
          expect({ truth: truth.slice(0, 2), shown: c2.differences.length > 0 }).toEqual({
            truth: truth.slice(0, 2),
            shown: true,
          });
        } else {
          if (c2.undecided.length > 0) seen.undecided++;
          else seen.alike++;
          expect(c2.differences.map((d) => d.example.a)).toEqual([]);
        }
      }),
      { numRuns: Number(process.env.HAIRPIN_RUNS ?? 60), seed: 3 },
    );
    expect(seen.different).toBeGreaterThan(10);
    expect(seen.alike).toBeGreaterThan(10);
    if (process.env.HAIRPIN_RUNS) console.log(seen);
  });
});
