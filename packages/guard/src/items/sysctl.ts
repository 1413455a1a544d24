import { readFileSync, writeFileSync } from "node:fs";
import { pathOfKey } from "@hairpin/core/parse/sysctl/index.ts";
import { type Item, looked, Trouble } from "../item.ts";

const plain = (text: string): string => text.trim().replace(/\s+/g, " ");

function readSetting(path: string): string {
  try {
    return plain(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Trouble(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function writeSetting(path: string, value: string): void {
  if (readSetting(path) === plain(value)) return;
  try {
    writeFileSync(path, value);
  } catch (error) {
    throw new Trouble(`${path} cannot be written: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** One setting of the kernel. */
export function sysctlItem(command: string, key: string, value: string): Item | string {
  if (key.includes("*")) return `"${command}": a pattern names no one setting; name the devices`;
  const path = pathOfKey(key);
  return {
    command,
    where: key,
    look: () => looked(() => (readSetting(path) === plain(value) ? "present" : "absent")),
    before: () => ({ value: readSetting(path) }),
    apply: () => writeSetting(path, value),
    revert: (prior) => writeSetting(path, String(prior.value)),
  };
}
