// Puts the figures of a run of test/live-cluster into docs/cluster.md and its translation:
//   tsx scripts/cluster-figures.ts REPORT.json
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

interface Answered {
  readonly mode: string;
  readonly situation: string;
  readonly probe: string;
  readonly real: string;
  readonly verdict: string;
  readonly causes: readonly string[];
  readonly seconds: number;
}
interface Killed {
  readonly mode: string;
  readonly signal: string;
  readonly left: readonly string[];
}

const root = resolve(import.meta.dirname, "..");
const { answers, kills } = JSON.parse(readFileSync(process.argv[2]!, "utf8")) as {
  readonly answers: readonly Answered[];
  readonly kills: readonly Killed[];
};

const WORDS = {
  en: {
    head: ["kube-proxy", "situation", "probes", "as the cluster behaves", "undetermined", "wrong", "median s"],
    causes: "named",
    sum: "in sum",
    kills: (all: number, left: number) => `Killed ${all} times at random moments: ${left} times something stayed.`,
  },
  zh: {
    head: ["kube-proxy", "情形", "探测", "与集群一致", "未定", "错误", "中位数（秒）"],
    causes: "指出的原因",
    sum: "合计",
    kills: (all: number, left: number) => `在随机时刻被杀死 ${all} 次：${left} 次有残留。`,
  },
} as const;

const median = (all: readonly number[]): number => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;

function figures(lang: keyof typeof WORDS): string {
  const words = WORDS[lang];
  const row = (mode: string, situation: string, of: readonly Answered[]): string => {
    const right = of.filter((a) => a.verdict === a.real);
    const open = of.filter((a) => a.verdict === "undetermined");
    const codes = [
      ...new Set(
        of.filter((a) => a.real !== "reachable").flatMap((a) => a.causes.slice(0, 1).map((c) => c.split(" ")[0]!)),
      ),
    ];
    const named = mode === "" || codes.length > 3 ? "" : codes.map((c) => `\`${c}\``).join(", ");
    const wrong = of.length - right.length - open.length;
    const seconds = median(of.map((a) => a.seconds)).toFixed(1);
    return `| ${[mode, situation, of.length, right.length, open.length, wrong, seconds, named].join(" | ")} |`;
  };
  const situations = new Map<string, Answered[]>();
  for (const a of answers) {
    const key = `${a.mode}\0${a.situation}`;
    situations.set(key, [...(situations.get(key) ?? []), a]);
  }
  const rows = [...situations].map(([key, of]) => row(key.split("\0")[0]!, key.split("\0")[1]!, of));
  const head = [...words.head, words.causes];
  return [
    `| ${head.join(" | ")} |`,
    `|${head.map(() => "---").join("|")}|`,
    ...rows,
    row("", `**${words.sum}**`, answers),
    ...(kills.length === 0 ? [] : ["", words.kills(kills.length, kills.filter((k) => k.left.length > 0).length)]),
  ].join("\n");
}

for (const [lang, path] of [
  ["en", "docs/cluster.md"],
  ["zh", "docs/zh/cluster.md"],
] as const) {
  const file = resolve(root, path);
  const text = readFileSync(file, "utf8");
  const put = `<!-- figures -->\n${figures(lang)}\n<!-- /figures -->`;
  writeFileSync(
    file,
    text.replace(/<!-- figures -->[\s\S]*<!-- \/figures -->/, () => put),
  );
}
