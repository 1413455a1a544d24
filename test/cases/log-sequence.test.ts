import type { LogStep } from "@hairpin/core/model/index.ts";
import { formatAddress } from "@hairpin/core/net/index.ts";
import { haveReference, referenceFiles, referenceText } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { CASES, openCase } from "./bundled.ts";

/** What a LOG line tells, in words that the walk has too. */
interface Line {
  readonly prefix: string;
  readonly in: string;
  readonly out: string;
  readonly src: string;
  readonly dst: string;
  readonly spt: string;
  readonly dpt: string;
}

/** Addresses and the source port of the document in the case's terms; a port that a document drew is any. */
const OURS: Readonly<Record<string, string>> = {
  "10.39.0.17": "10.77.0.17",
  "10.254.51.153": "10.254.60.21",
  "192.168.67.4": "10.99.67.4",
  "192.168.82.0": "10.99.82.0",
};

function logged(text: string): readonly Line[] {
  const line = /kernel: (\S+ \S+): IN=(\S*) OUT=(\S*) SRC=(\S+) DST=(\S+) .*PROTO=TCP SPT=(\d+) DPT=(\d+) /;
  return text.split("\n").flatMap((row) => {
    const m = line.exec(row);
    if (m === null) return [];
    const [, prefix, from, to, src, dst, spt, dpt] = m as unknown as string[];
    const ours = (address: string) => OURS[address] ?? `unmapped ${address}`;
    return [{ prefix: prefix!, in: from!, out: to!, src: ours(src!), dst: ours(dst!), spt: spt!, dpt: dpt! }];
  });
}

/** The LOG steps of the first packet, in the order the kernel would print them. */
function walked(options: { readonly bind?: string; readonly sport: number }): readonly Line[] {
  const { askable } = openCase(`${CASES}node-to-service-strict-rp-filter`);
  const { branches } = askable.ask(options).exploration;
  expect(branches).toHaveLength(1);
  const steps = branches[0]!.request.steps.filter((s): s is LogStep => s.kind === "log");
  return steps.map(({ prefix, in: from, out, packet }) => ({
    prefix: prefix.trim().replace(/:$/, ""),
    in: from,
    out,
    src: formatAddress(packet.src),
    dst: formatAddress(packet.dst),
    spt: String(packet.sport),
    dpt: String(packet.dport),
  }));
}

const document = referenceFiles("seeds").find((path) => /\/001_[^/]*\.txt$/.test(path));

describe.skipIf(!haveReference || document === undefined)("LOG lines of a node that calls a Service", () => {
  const lines = document === undefined ? [] : logged(referenceText("seeds", document.replace(/^.*\//, "")));
  const variants = [
    ["bound to flannel0, it works", { bind: "flannel0" }, lines.filter((l) => l.src === "10.99.82.0")],
    ["by the default route, it fails", {}, lines.filter((l) => l.src === "10.77.0.17")],
  ] as const;

  test.each(variants)("%s: hook by hook as the document has them", (_title, options, expected) => {
    expect(expected).toHaveLength(6);
    const ours = walked({ ...options, sport: Number(expected[0]!.spt) });
    // The document's rules ask for `nat post` twice and its log has one: something between the two rules ended the table.
    expect(ours[ours.length - 1]).toEqual(ours[ours.length - 2]);
    expect(ours.slice(0, -1)).toEqual(expected);
  });
});

test("LOG lines of the case, without the document", () => {
  const out = (l: Line) => `${l.prefix} OUT=${l.out} ${l.src}:${l.spt} > ${l.dst}:${l.dpt}`;
  expect(walked({ sport: 40123 }).map(out)).toEqual([
    "raw out OUT=eth0 10.77.0.17:40123 > 10.254.60.21:80",
    "mangle out OUT=eth0 10.77.0.17:40123 > 10.254.60.21:80",
    "nat out OUT=eth0 10.77.0.17:40123 > 10.254.60.21:80",
    "filter out OUT=eth0 10.77.0.17:40123 > 10.99.67.4:8082",
    "mangle post OUT=flannel0 10.77.0.17:40123 > 10.99.67.4:8082",
    "nat post OUT=flannel0 10.77.0.17:40123 > 10.99.67.4:8082",
    "nat post OUT=flannel0 10.77.0.17:40123 > 10.99.67.4:8082",
  ]);
});
