import { applyChange } from "../../assemble/patch/apply.ts";
import { parseChange } from "../../assemble/patch/parse.ts";
import { assumed, type Stack } from "../../model/index.ts";
import { shellLine } from "../../model/shell.ts";
import type { Undo } from "./index.ts";

const set = (key: string, value: string): string => shellLine(["sysctl", "-w", `${key}=${value}`]);

/** Values back as they were, the typed key first: writing it may change others along with it. */
export function undoSysctls(typed: string, before: Stack, after: Stack): Undo {
  const keys = (now: Stack): readonly string[] =>
    [...now.sysctls.keys()].filter((k) => before.sysctls.get(k)?.value !== now.sysctls.get(k)?.value);
  const changed = keys(after);
  const first = changed.includes(typed) ? [typed] : changed;
  const commands: string[] = [];
  const unknown: string[] = [];
  let now = after;
  const restore = (key: string): void => {
    const was = before.sysctls.get(key);
    if (was === undefined) {
      if (key === typed || first !== changed) unknown.push(key);
      return;
    }
    const command = set(key, was.value);
    commands.push(command);
    const parsed = parseChange(command, assumed("undo"));
    const result = parsed.ok && parsed.changes[0] !== undefined ? applyChange(now, parsed.changes[0]) : undefined;
    if (result?.ok === true) now = result.stack;
  };
  for (const key of first) restore(key);
  for (const key of keys(now).filter((k) => before.sysctls.has(k) && !first.includes(k))) restore(key);
  return { commands, unknown: [...new Set(unknown)].filter((k) => k === typed) };
}
