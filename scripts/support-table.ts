// Writes docs/support.md and its Chinese version from the tables in the code; `npm run docs`.
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
import { dumpTitle, LANGS, type Lang } from "../packages/core/src/messages/index.ts";
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

const COVERAGE: Readonly<Record<Lang, Readonly<Record<Coverage, string>>>> = {
  en: { simulated: "simulated", assumed: "assumed", unknown: "unknown", "no effect": "no effect" },
  zh: { simulated: "模拟", assumed: "假设", unknown: "未知", "no effect": "无影响" },
};

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
  lang: Lang,
): readonly Row[] {
  return [...all]
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : (a.family ?? 0) - (b.family ?? 0)))
    .map((extension) => {
      const kind = kinds.get(extension);
      return [
        code(extension.name),
        extension.family === undefined ? "4, 6" : String(extension.family),
        [...extension.options.keys()].map(code).join(" ") || "–",
        COVERAGE[lang][
          (kind === undefined ? OTHER_COVERAGE[extension.name] : undefined) ?? coverage[kind ?? "other"] ?? "unknown"
        ],
      ];
    });
}

/** What stands between the tables; a table is put in at its name in braces. */
const PAGES: Readonly<Record<Lang, string>> = {
  en: `<!-- Generated from the code by \`npm run docs\`; a test checks that it is up to date. -->
# What Hairpin reads

The walk treats what was read as follows. **simulated**: as the kernel does it. **assumed**: one way, which every answer that
used it lists. **unknown**: it forks the walk into matched and unmatched (a match) or ends it as \`undetermined\` (a target, a device).
**no effect**: it decides nothing about where a packet goes. What no reader knows is kept as text with a diagnostic and is unknown.

## Dumps that are read

{dumps}

## Support bundles

Read as they are packed (\`.tar\`, \`.tar.gz\`, \`.tar.xz\`, \`.tar.zst\`, \`.zip\`, archives inside archives) or unpacked, and recognised by their layout.

{bundles}

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

{recognised}

## iptables matches

{matches}

## iptables targets

Beside \`ACCEPT\`, \`DROP\`, \`RETURN\` and jumps to chains, which are simulated, and \`QUEUE\`, which is unknown:

{targets}

## ipset types

{sets}

## Kinds of devices

{devices}
`,
  zh: `<!-- 由 \`npm run docs\` 从代码生成；有测试检查它是否最新。 -->
# Hairpin 读取什么

[English](../support.md)

读到的内容在报文路径中按以下方式处理。**模拟**：与内核相同。**假设**：取其中一种，用到它的每个回答都会列出。**未知**：匹配条件使路径分叉为匹配和不匹配两支，目标或设备使路径以 \`undetermined\` 结束。**无影响**：不决定报文的去向。没有读取器认识的内容保留原文，附上诊断，按未知处理。

## 能读取的采集数据

{dumps}

## 支持包

打包的（\`.tar\`、\`.tar.gz\`、\`.tar.xz\`、\`.tar.zst\`、\`.zip\`，包中套包）和解开的都能读取，按目录结构识别。

{bundles}

## 没有建模的数据面

能够识别，因此不会对其后的事情作任何断言；\`check\` 说明哪些报文无法判定（[check](check.md#没有建模的数据面)）。

| 数据面 | 程序或流表所在 | Service |
| --- | --- | --- |
| 与 kube-proxy 并存的 Cilium | \`cilium_*\`、\`lxc*\` | 由它的 Pod 访问的 |
| 代替 kube-proxy 的 Cilium | 同上，以及节点的网卡、套接字 | 全部 |
| eBPF 模式的 Calico | \`cali*\`、节点的网卡、套接字 | 全部 |
| Antrea | \`br-int\` 的端口 | 由它的 Pod 访问的 |
| OVN-Kubernetes | \`br-int\` 和 \`br-ex\` 的端口、节点的网卡 | 全部 |
| 其他的 Open vSwitch、XDP 和 tc 程序 | 采集数据显示它们所在的设备 | 无 |

## 能识别、尚未读取

{recognised}

## iptables 匹配条件

{matches}

## iptables 目标

此外 \`ACCEPT\`、\`DROP\`、\`RETURN\` 和跳转到链都会模拟，\`QUEUE\` 是未知：

{targets}

## ipset 类型

{sets}

## 设备种类

{devices}
`,
};

const HEADS = {
  en: {
    dump: ["dump", "id in `check`"],
    bundle: ["bundle", "id in `check`", "whose it is", "never in it"],
    match: ["match", "IPv", "options", "in the walk"],
    target: ["target", "IPv", "options", "in the walk"],
    set: ["type", "in the walk"],
    device: ["kind", "in the walk"],
    cluster: "the cluster's, or its paths name the nodes",
    node: "a node's",
    binary: "captures in binary form",
  },
  zh: {
    dump: ["采集数据", "`check` 中的 id"],
    bundle: ["支持包", "`check` 中的 id", "属于谁", "从不包含"],
    match: ["匹配条件", "IPv", "选项", "在报文路径中"],
    target: ["目标", "IPv", "选项", "在报文路径中"],
    set: ["类型", "在报文路径中"],
    device: ["种类", "在报文路径中"],
    cluster: "集群，或由路径写明节点",
    node: "一个节点",
    binary: "二进制抓包",
  },
} as const;

/** docs/support.md or its Chinese version, whole. */
export function supportTable(lang: Lang): string {
  const heads = HEADS[lang];
  const listed = lang === "zh" ? "、" : ", ";
  const said = (c: Coverage): string => COVERAGE[lang][c];
  const dialectRow = (d: { readonly id: string; readonly title: string }): Row => [
    dumpTitle(d.id, d.title, lang),
    code(d.id),
  ];
  const matchKinds = kindsOf(
    typedOnly(Object.keys(MATCH_COVERAGE) as Match["kind"][]),
    (kind, family) => extensionOfMatch({ kind } as Match, family) as Extension<never> | undefined,
  );
  const targetKinds = kindsOf(
    typedOnly(Object.keys(TARGET_COVERAGE) as Target["kind"][]),
    (kind, family) => extensionOfTarget({ kind } as Target, family) as Extension<never> | undefined,
  );
  const all = (extensions: unknown): readonly Extension<never>[] => extensions as readonly Extension<never>[];
  const sets = SET_TYPES.map((name): Row => {
    const dimensions = name.split(":")[1]!.split(",") as SetDimension[];
    const worst = dimensions.map((d) => SET_COVERAGE[d]).find((c) => c !== "simulated") ?? "simulated";
    return [code(name), said(worst)];
  });
  const tables: Readonly<Record<string, string>> = {
    dumps: table(heads.dump, [
      ...[...readDialects, ...observedDialects].map(dialectRow),
      [heads.binary, `\`pcap\`${listed}\`pcapng\``],
    ]),
    bundles: table(
      heads.bundle,
      bundleKinds.map((k) => [
        dumpTitle(k.id, k.title, lang),
        code(k.id),
        k.names === undefined ? heads.cluster : heads.node,
        k.lacks.map(code).join(listed),
      ]),
    ),
    recognised: table(heads.dump, recognisedDialects.map(dialectRow)),
    matches: table(heads.match, extensionRows(all(matchExtensions), matchKinds, MATCH_COVERAGE, lang)),
    targets: table(heads.target, extensionRows(all(targetExtensions), targetKinds, TARGET_COVERAGE, lang)),
    sets: table(heads.set, sets),
    devices: table(
      heads.device,
      Object.entries(DEVICE_COVERAGE).map(([kind, c]) => [code(kind), said(c)]),
    ),
  };
  return PAGES[lang].replace(/^\{(\w+)\}$/gm, (_, name: string) => tables[name]!);
}

const path = (lang: Lang): string =>
  join(dirname(fileURLToPath(import.meta.url)), lang === "zh" ? "../docs/zh/support.md" : "../docs/support.md");
export const supportOnDisk = (lang: Lang): string => readFileSync(path(lang), "utf8");

if (process.argv[1] !== undefined && fileURLToPath(import.meta.url) === process.argv[1])
  for (const lang of LANGS) writeFileSync(path(lang), supportTable(lang));
