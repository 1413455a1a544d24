import { type Lang, say, type Text, text } from "../messages/index.ts";
import { isNativeNft, type Stack } from "../model/index.ts";
import { shellWord } from "../model/shell.ts";
import { captureCommand, familyOfProbe, MARK, type Method, nftCommands, ruleCommands } from "./commands.ts";
import type { Probe } from "./probe.ts";

export interface NodeCommands {
  readonly stack: string;
  readonly probes: readonly Probe[];
  readonly add: readonly string[];
  readonly remove: readonly string[];
  /** What shows the result while the packet is sent. */
  readonly show: readonly string[];
  /** The same as one plain sh script that cleans up after itself. */
  readonly script: string;
}

/** The iptables of the back end that the node's dump came from; the node's default where it does not say. */
function toolOf(stack: Stack | undefined, probe: Probe): string {
  const family = familyOfProbe(probe);
  const backend = stack?.netfilter.tables.find((t) => t.family === family)?.backend;
  const tool = family === 6 ? "ip6tables" : "iptables";
  return backend === "legacy" || backend === "nft" ? `${tool}-${backend}` : tool;
}

const SHOW: Readonly<Record<Method, string>> = {
  // Only what comes from now on: an earlier run logged the same places. Older tools cannot leave the rest out.
  log: `{ dmesg --follow-new || dmesg -w; } | grep --line-buffered ${MARK}`,
  trace: "xtables-monitor --trace",
  nft: "nft monitor trace",
};

/** What to type on one node, and how to undo it. */
export function nodeCommands(
  stack: Stack | undefined,
  name: string,
  probes: readonly Probe[],
  method: Method,
  seconds: number,
  lang: Lang = "en",
): NodeCommands {
  const native = (p: Probe): boolean => stack !== undefined && isNativeNft(stack.netfilter, familyOfProbe(p));
  const rules = probes.flatMap((p) => {
    if (p.kind !== "log") return [];
    return [method === "nft" || native(p) ? nftCommands(p, method) : ruleCommands(p, toolOf(stack, p), method)];
  });
  // What xtables-monitor shows of a trace it shows of iptables' tables.
  const told = method === "trace" && probes.some((p) => p.kind === "log" && native(p)) ? "nft" : method;
  const captures = probes.flatMap((p) => (p.kind === "capture" ? [captureCommand(p)] : []));
  const add = [...new Set(rules.flatMap((r) => r.add))];
  const remove = [...new Set(rules.flatMap((r) => r.remove))].reverse();
  const show = [...(rules.length > 0 ? [SHOW[told]] : []), ...captures];
  return { stack: name, probes, add, remove, show, script: scriptOf(name, add, remove, show, seconds, lang) };
}

/**
 * The rules go when the script ends, however it ends: by a trap, and by a process of its own after the time limit, for
 * whoever kills the script with -9 or loses the connection.
 */
function scriptOf(
  name: string,
  add: readonly string[],
  remove: readonly string[],
  show: readonly string[],
  seconds: number,
  lang: Lang,
): string {
  const plain = name.replace(/[^\w./-]/g, "?");
  const t = (of: Text): string => say(of, lang);
  const lines = [
    "#!/bin/sh",
    `# ${t(text("script.on", { node: plain, seconds }))}`,
    `# ${t(text("script.only-logs"))}`,
    "set -u",
    'pids=""; seen=$(mktemp -d)',
    "undo() {",
    "  trap - EXIT INT TERM HUP",
    ...remove.map((c) => `  ${c} 2>/dev/null`),
    "  for pid in $pids; do kill $pid 2>/dev/null; done; wait $pids 2>/dev/null",
    // As a terminal would have shown it, so that it can be pasted as it is.
    ...show.flatMap((c, i) => [`  echo ${shellWord(`root@${plain}:~# ${c}`)}`, `  cat "$seen/${i}"`]),
    '  rm -rf "$seen"',
    "}",
    "trap 'undo; exit 130' INT TERM HUP",
    "trap undo EXIT",
    ...(remove.length === 0
      ? []
      : [
          `setsid sh -c ${shellWord(`sleep ${seconds + 5}; ${remove.map((c) => `${c} 2>/dev/null`).join("; ")}`)} </dev/null >/dev/null 2>&1 &`,
        ]),
    ...add.map((c) => `${c} || { echo "${t(text("script.no-rule"))}" >&2; exit 69; }`),
    ...show.map((c, i) => `timeout ${seconds + 2} sh -c ${shellWord(c)} >"$seen/${i}" 2>/dev/null & pids="$pids $!"`),
    // What shows it needs a moment to listen.
    "sleep 1",
    `echo "${t(text("script.watching", { node: plain, seconds }))}" >&2`,
    `sleep ${seconds} & wait $!`,
  ];
  return `${lines.join("\n")}\n`;
}
