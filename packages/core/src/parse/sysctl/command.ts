import type { Origin, SysctlEntry } from "../../model/index.ts";
import { type ShellWord, shellWords } from "../shell-words.ts";
import { keyOfName, keyOfPath } from "./key.ts";

/** One value set. The key may hold `*`, as in a loop over the rp_filter of all interfaces. */
export interface SysctlCommand {
  readonly key: string;
  readonly value: string;
  readonly origin: Origin;
}

/** `sysctl -w k=v …`, `echo v > /proc/sys/…`, `echo v | tee /proc/sys/…`; undefined where the line is none of these. */
export function parseSysctlCommand(line: string, origin: Origin): readonly SysctlCommand[] | undefined {
  const loop = /^\s*for\s+(\w+)\s+in\s+(\/proc\/sys\/\S+?)\s*;\s*do\s+(.{1,400}?)\s*;?\s*done\b/.exec(
    line.slice(0, 600),
  );
  if (loop !== null) {
    const body = loop[3]!.replaceAll(`\${${loop[1]}}`, loop[2]!).replaceAll(`$${loop[1]}`, loop[2]!);
    return parseSysctlCommand(body, origin);
  }
  const all = shellWords(line);
  const words = all[0]?.text === "sudo" ? all.slice(1) : all;
  const tool = words[0]?.text.replace(/^.*\//, "");
  if (tool === "sysctl") return settings(words.slice(1), origin);
  if (tool === "echo" || tool === "printf") return written(words.slice(1), origin);
  return undefined;
}

function settings(words: readonly ShellWord[], origin: Origin): readonly SysctlCommand[] | undefined {
  const end = words.findIndex((w) => w.operator);
  const commands = (end < 0 ? words : words.slice(0, end)).flatMap((word): SysctlCommand[] => {
    const equals = word.text.indexOf("=");
    if (word.text.startsWith("-") || equals <= 0) return [];
    const key = keyOfName(word.text.slice(0, equals).trim());
    return [{ key, value: word.text.slice(equals + 1).trim(), origin }];
  });
  return commands.length === 0 ? undefined : commands;
}

function written(words: readonly ShellWord[], origin: Origin): readonly SysctlCommand[] | undefined {
  const at = words.findIndex((w) => w.operator);
  const operator = words[at]?.text;
  if (operator !== ">" && operator !== ">>" && operator !== "|") return undefined;
  const value = words
    .slice(0, at)
    .filter((w) => !/^-[neE]+$/.test(w.text))
    .map((w) => w.text)
    .join(" ")
    .replace(/\\n$/, "");
  const rest = words.slice(at + 1).filter((w) => w.text !== "sudo");
  const targets = operator === "|" ? (rest[0]?.text === "tee" ? rest.slice(1) : []) : rest.slice(0, 1);
  const paths = targets.filter((w) => w.text.startsWith("/proc/sys/"));
  return paths.length === 0 ? undefined : paths.map((w) => ({ key: keyOfPath(w.text), value: value.trim(), origin }));
}

type Sysctls = ReadonlyMap<string, SysctlEntry>;

/**
 * Changing these changes the same switch of every interface (devinet_sysctl_forward(), addrconf_fixup_forwarding());
 * writing what they already are does not.
 */
const SPREADS: ReadonlyMap<string, readonly string[]> = new Map([
  ["net.ipv4.ip_forward", ["net.ipv4.conf.*.forwarding"]],
  ["net.ipv4.conf.all.forwarding", ["net.ipv4.ip_forward", "net.ipv4.conf.*.forwarding"]],
  ["net.ipv6.conf.all.forwarding", ["net.ipv6.conf.*.forwarding"]],
  ["net.ipv6.conf.all.disable_ipv6", ["net.ipv6.conf.*.disable_ipv6"]],
]);

const expand = (pattern: string, keys: Iterable<string>, interfaces: readonly string[]): readonly string[] => {
  if (!pattern.includes("*")) return [pattern];
  const star = pattern.indexOf("*");
  const [head, tail] = [pattern.slice(0, star), pattern.slice(star + 1)];
  const names = new Set(["all", "default", ...interfaces.map((i) => i.replaceAll(".", "/"))]);
  for (const key of keys) {
    const middle = key.startsWith(head) && key.endsWith(tail) ? key.slice(head.length, key.length - tail.length) : "";
    if (middle !== "" && !middle.includes(".")) names.add(middle);
  }
  return [...names].map((name) => `${head}${name}${tail}`);
};

/** The switches after these commands. `interfaces`: those a `*` stands for, beside the ones already seen. */
export function applySysctl(
  sysctls: Sysctls,
  commands: readonly SysctlCommand[],
  interfaces: readonly string[] = [],
): Sysctls {
  const after = new Map(sysctls);
  for (const { key: pattern, value, origin } of commands) {
    for (const key of expand(pattern, after.keys(), interfaces)) {
      const same = after.get(key)?.value === value;
      after.set(key, { key, value, origin });
      for (const other of same ? [] : (SPREADS.get(key) ?? [])) {
        for (const also of expand(other, after.keys(), interfaces)) after.set(also, { key: also, value, origin });
      }
    }
  }
  return after;
}
