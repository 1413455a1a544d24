// Writes docs/support.md from the tables in the code; `npm run docs`.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Coverage,
  DEVICE_COVERAGE,
  MATCH_COVERAGE,
  OTHER_COVERAGE,
  SET_COVERAGE,
  TARGET_COVERAGE,
} from "../packages/core/src/datapath/kernel/coverage.ts";
import type { Match, SetDimension, Target } from "../packages/core/src/model/index.ts";
import { bundleKinds, observedDialects, readDialects, recognisedDialects } from "../packages/core/src/parse/index.ts";
import { SET_TYPES } from "../packages/core/src/parse/ipset/types.ts";
import type { Extension } from "../packages/core/src/parse/iptables/rule/extension.ts";
import {
  extensionOfMatch,
  extensionOfTarget,
  matchExtensions,
  targetExtensions,
} from "../packages/core/src/parse/iptables/rule/registry.ts";

type Row = readonly string[];

const cell = (text: string): string => text.replaceAll("|", "\\|");
const table = (head: Row, rows: readonly Row[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");
const code = (text: string): string => `\`${text}\``;

/** The record kinds that have an extension of their own, by that extension. */
function kindsOf<K extends string>(
  kinds: readonly K[],
  find: (kind: K, family: 4 | 6) => Extension<never> | undefined,
): ReadonlyMap<unknown, K> {
  const byExtension = new Map<unknown, K>();
  for (const kind of kinds) {
    for (const family of [4, 6] as const) {
      const extension = find(kind, family);
      if (extension !== undefined) byExtension.set(extension, kind);
    }
  }
  return byExtension;
}

const typedOnly = <K extends string>(kinds: readonly K[]): readonly K[] =>
  kinds.filter((k) => k !== "other" && k !== "unknown");

function extensionRows<K extends string>(
  all: readonly Extension<never>[],
  kinds: ReadonlyMap<unknown, K>,
  coverage: Readonly<Record<string, Coverage>>,
): readonly Row[] {
  return [...all]
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : (a.family ?? 0) - (b.family ?? 0)))
    .map((extension) => {
      const kind = kinds.get(extension);
      return [
        code(extension.name),
        extension.family === undefined ? "4, 6" : String(extension.family),
        [...extension.options.keys()].map(code).join(" ") || "–",
        (kind === undefined ? OTHER_COVERAGE[extension.name] : undefined) ?? coverage[kind ?? "other"] ?? "unknown",
      ];
    });
}

/** docs/support.md, whole. */
export function supportTable(): string {
  const matchKinds = kindsOf(
    typedOnly(Object.keys(MATCH_COVERAGE) as Match["kind"][]),
    (kind, family) => extensionOfMatch({ kind } as Match, family) as Extension<never> | undefined,
  );
  const targetKinds = kindsOf(
    typedOnly(Object.keys(TARGET_COVERAGE) as Target["kind"][]),
    (kind, family) => extensionOfTarget({ kind } as Target, family) as Extension<never> | undefined,
  );
  const sets = SET_TYPES.map((name): Row => {
    const dimensions = name.split(":")[1]!.split(",") as SetDimension[];
    const worst = dimensions.map((d) => SET_COVERAGE[d]).find((c) => c !== "simulated") ?? "simulated";
    return [code(name), worst];
  });
  return `<!-- Generated from the code by \`npm run docs\`; a test checks that it is up to date. -->
# What Hairpin reads

The walk treats what was read as follows. **simulated**: as the kernel does it. **assumed**: one way, which every answer that
used it lists. **unknown**: it forks the walk into matched and unmatched (a match) or ends it as \`undetermined\` (a target, a device).
**no effect**: it decides nothing about where a packet goes. What no reader knows is kept as text with a diagnostic and is unknown.

## Dumps that are read

${table(
  ["dump", "id in `check`"],
  [
    ...[...readDialects, ...observedDialects].map((d) => [d.title, code(d.id)]),
    ["captures in binary form", "`pcap`, `pcapng`"],
  ],
)}

## Support bundles

Read as they are packed (\`.tar\`, \`.tar.gz\`, \`.tar.xz\`, \`.tar.zst\`, \`.zip\`, archives inside archives) or unpacked, and recognised by their layout.

${table(
  ["bundle", "id in `check`", "whose it is", "never in it"],
  bundleKinds.map((k) => [
    k.title,
    code(k.id),
    k.names === undefined ? "the cluster's, or its paths name the nodes" : "a node's",
    k.lacks.map(code).join(", "),
  ]),
)}

## Datapaths that are not walked

Recognised, so that nothing is claimed past them; \`check\` says which packets stay open ([check](check.md#datapaths-that-are-not-walked)).

| datapath | programs or flows are on | Services |
| --- | --- | --- |
| Cilium beside kube-proxy | \`cilium_*\`, \`lxc*\` | those that its pods ask |
| Cilium in place of kube-proxy | the same, the node's cards, sockets | all |
| Calico in eBPF mode | \`cali*\`, the node's cards, sockets | all |
| Antrea | ports of \`br-int\` | those that its pods ask |
| OVN-Kubernetes | ports of \`br-int\` and \`br-ex\`, the node's cards | all |
| Open vSwitch, XDP and tc programs of others | the devices they are shown on | none |

## Recognised, not read yet

${table(
  ["dump", "id in `check`"],
  recognisedDialects.map((d) => [d.title, code(d.id)]),
)}

## iptables matches

${table(["match", "IPv", "options", "in the walk"], extensionRows(matchExtensions as unknown as readonly Extension<never>[], matchKinds, MATCH_COVERAGE))}

## iptables targets

Beside \`ACCEPT\`, \`DROP\`, \`RETURN\` and jumps to chains, which are simulated, and \`QUEUE\`, which is unknown:

${table(["target", "IPv", "options", "in the walk"], extensionRows(targetExtensions as unknown as readonly Extension<never>[], targetKinds, TARGET_COVERAGE))}

## ipset types

${table(["type", "in the walk"], sets)}

## Kinds of devices

${table(
  ["kind", "in the walk"],
  Object.entries(DEVICE_COVERAGE).map(([kind, c]) => [code(kind), c]),
)}
`;
}

const path = join(dirname(fileURLToPath(import.meta.url)), "../docs/support.md");
export const supportOnDisk = (): string => readFileSync(path, "utf8");

if (process.argv[1] !== undefined && fileURLToPath(import.meta.url) === process.argv[1])
  writeFileSync(path, supportTable());
