import { describe, expect, test } from "vitest";
import { diagnosisText } from "../../packages/cli/src/report/answer/diagnosis-text.ts";
import { pasteable } from "../../packages/cli/src/report/answer/placed-lines.ts";
import { traceText } from "../../packages/cli/src/report/trace-text.ts";
import { type Diagnosis, diagnose } from "../../packages/core/src/diagnose/index.ts";
import { bundledCases } from "../cases/bundled.ts";

/** Words of the trade that a Chinese engineer writes as they are: of the kernel, its tools, protocols and Kubernetes. */
const TRADE = new Set(
  `accept address addrtype blackhole bridge broadcast code comment conntrack dev dockershim down external fabric filter flannel goto hairpin icmp ifcfg in inet input ip
   ipip iptables ipvs kubelet kubenet limit lo local main mangle mark martian nat netfilter netplan nft nftables out output physin physout pod raw
   route real recent reroute server set source src statistic svc sysctl systemd table tcp ttl type udp unreachable up veth via vxlan
   admin connection exceeded fragmentation host needed net no port prohibited protocol refused reset time timed unreachable`.split(
    /\s+/,
  ),
);

/** Whatever is in both texts of an answer, because it is nobody's prose. */
const commandsOf = ({ causes, fixes, tried, judgement, inquiry }: Diagnosis): readonly string[] =>
  [
    ...fixes.flatMap(({ placed }) =>
      [placed.commands, placed.undo].flatMap((lines) => pasteable(lines, inquiry.exploration.world.stacks, "zh")),
    ),
    ...[...fixes, ...tried.map((t) => t.fix)].flatMap((f) =>
      f === undefined ? [] : [...f.commands, ...f.undo, ...f.lasting.flatMap((l) => l.lines)],
    ),
    ...causes.flatMap((c) => c.check?.command ?? []),
    ...judgement.decisiveFacts.flatMap((f) => f.command ?? []),
  ]
    .flatMap((c) => c.split("\n"))
    .map((c) => c.trim())
    .sort((a, b) => b.length - a.length);

/** Words in lower case that stand alone; what has a sign, a digit or a capital in it is a name. */
const wordsIn = (text: string): readonly string[] => text.match(/(?<![\w./:@'-])[a-z]{2,}(?![\w./:@'-])/g) ?? [];

const plain = (text: string): string => text;
const style = { bold: plain, dim: plain, red: plain, yellow: plain, green: plain, cyan: plain };
/** Dumps are shown as they are: only where a line stands is told here. */
const quote = (): undefined => undefined;

describe.each(bundledCases())("$name in Chinese", ({ askable }) => {
  const { stacks, loadBalancers, kubernetes } = askable.world;
  const names = new Set(
    [
      ...stacks.flatMap((x) => [x.name, ...x.devices.items.map((d) => d.name)]),
      ...stacks.flatMap((x) => x.netfilter.nft ?? []).flatMap((t) => [t.name, ...t.chains.map((c) => c.name)]),
      ...loadBalancers.flatMap((b) => b.name ?? []),
      ...kubernetes.services.flatMap((x) => [x.name, ...x.ports.map((p) => String(p.targetPort ?? ""))]),
    ].flatMap(wordsIn),
  );
  const foreign = (text: string): readonly string[] =>
    text.split("\n").flatMap((line) => {
      const words = wordsIn(line).filter((w) => !TRADE.has(w) && !names.has(w));
      return words.length === 0 ? [] : [`${words.join(", ")}: ${line.trim()}`];
    });

  test("the walk has no English left in it", () => {
    const { exploration } = askable.ask({}, askable.world, true);
    const text = traceText(exploration, {
      quote,
      lang: "zh",
      clean: plain,
      bold: plain,
      dim: plain,
      bad: plain,
      good: plain,
    });
    expect(foreign(text)).toEqual([]);
  });

  test("the answer has no English left in it", () => {
    const diagnosis = diagnose(askable, {});
    let text = diagnosisText(diagnosis, { quote, style, lang: "zh", verbose: true, width: 100_000 });
    for (const command of commandsOf(diagnosis)) text = text.replaceAll(command, "");
    expect(foreign(text)).toEqual([]);
  });
});

test("English prose would be found", () => {
  expect(wordsIn("在 node-a 上 nobody listens there，eth0 dev via")).toEqual([
    "nobody",
    "listens",
    "there",
    "dev",
    "via",
  ]);
});
