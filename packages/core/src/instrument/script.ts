import type { Stack } from "../model/index.ts";
import { captureCommand, familyOf, MARK, type Method, nftCommands, ruleCommands, shellWord } from "./commands.ts";
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
  const family = familyOf(probe);
  const backend = stack?.netfilter.tables.find((t) => t.family === family)?.backend;
  const tool = family === 6 ? "ip6tables" : "iptables";
  return backend === "legacy" || backend === "nft" ? `${tool}-${backend}` : tool;
}

const SHOW: Readonly<Record<Method, string>> = {
  // Only what comes from now on: an earlier run logged the same places. Older tools cannot leave the rest out.
  log: `{ dmesg --follow-new 2>/dev/null || dmesg -w; } | grep --line-buffered ${MARK}`,
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
): NodeCommands {
  const rules = probes.flatMap((p) =>
    p.kind === "log" ? [method === "nft" ? nftCommands(p) : ruleCommands(p, toolOf(stack, p), method)] : [],
  );
  const captures = probes.flatMap((p) => (p.kind === "capture" ? [captureCommand(p)] : []));
  const add = [...new Set(rules.flatMap((r) => r.add))];
  const remove = [...new Set(rules.flatMap((r) => r.remove))].reverse();
  const show = [...(rules.length > 0 ? [SHOW[method]] : []), ...captures];
  return { stack: name, probes, add, remove, show, script: scriptOf(name, add, remove, show, seconds) };
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
): string {
  const lines = [
    "#!/bin/sh",
    `# On ${name.replace(/[^\w./-]/g, "?")}: shows for at most ${seconds} seconds where the asked packet passes. Send it meanwhile; Ctrl-C ends it.`,
    "# Adds rules that only log, narrow and rate-limited, and removes exactly those again. Flushes nothing.",
    "set -u",
    "undo() {",
    "  trap - EXIT INT TERM HUP",
    ...remove.map((c) => `  ${c} 2>/dev/null`),
    "  for pid in $pids; do kill $pid 2>/dev/null; done",
    "  :",
    "}",
    'pids=""',
    "trap 'undo; exit 130' INT TERM HUP",
    "trap undo EXIT",
    ...(remove.length === 0
      ? []
      : [
          `setsid sh -c ${shellWord(`sleep ${seconds + 5}; ${remove.map((c) => `${c} 2>/dev/null`).join("; ")}`)} </dev/null >/dev/null 2>&1 &`,
        ]),
    ...add.map((c) => `${c} || { echo "could not add a rule; nothing stays" >&2; exit 69; }`),
    ...show.map((c) => `timeout ${seconds} ${c.includes("|") ? `sh -c ${shellWord(c)}` : c} & pids="$pids $!"`),
    `echo "watching ${name.replace(/[^\w./-]/g, "?")} for ${seconds} seconds: send the packet now" >&2`,
    `sleep ${seconds} & wait $!`,
  ];
  return `${lines.join("\n")}\n`;
}
