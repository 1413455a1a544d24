import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import { type Text, text } from "@hairpin/core/messages/index.ts";
import { pathOfKey } from "@hairpin/core/parse/sysctl/index.ts";
import { type Item, looked, Trouble } from "../item.ts";

const plain = (text: string): string => text.trim().replace(/\s+/g, " ");
const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

/** Neither link nor, for writing, a file that was not there: settings are the kernel's own files. */
function withSetting<T>(
  path: string,
  flags: number,
  fails: "guard.cannot-read" | "guard.cannot-write",
  work: (fd: number) => T,
): T {
  try {
    const fd = openSync(path, flags | constants.O_NOFOLLOW);
    try {
      return work(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw new Trouble(text(fails, { path, errno: codeOf(error) }));
  }
}

const readSetting = (path: string): string =>
  withSetting(path, constants.O_RDONLY, "guard.cannot-read", (fd) => plain(readFileSync(fd, "utf8")));

function writeSetting(path: string, value: string): void {
  if (readSetting(path) === plain(value)) return;
  withSetting(path, constants.O_WRONLY, "guard.cannot-write", (fd) => writeSync(fd, value));
}

/** A name of the kernel's or of a device: never empty, never a way to another folder. */
const PART = /^(?!\.{1,2}$)[A-Za-z0-9_.@+][A-Za-z0-9_.:@+-]{0,63}$/;
const VALUE = /^-?[A-Za-z0-9_](?:[A-Za-z0-9_.,\t -]{0,254}[A-Za-z0-9_])?$/;

/** The path of a setting of the network, or undefined: other settings of the kernel name programs to run, and files. */
function pathOf(key: string): string | undefined {
  const path = pathOfKey(key);
  const [, proc, sys, net, ...parts] = path.split("/");
  const below = proc === "proc" && sys === "sys" && net === "net";
  return below && parts.length > 0 && parts.every((part) => PART.test(part)) ? path : undefined;
}

/** One setting of the kernel's network. */
export function sysctlItem(command: string, key: string, value: string): Item | Text {
  if (key.includes("*")) return text("guard.pattern");
  const path = pathOf(key);
  if (path === undefined) return text("guard.only-net");
  if (!VALUE.test(value)) return text("guard.setting-value");
  return {
    command,
    where: key,
    look: () => looked(() => (readSetting(path) === plain(value) ? "present" : "absent")),
    before: () => ({ value: readSetting(path) }),
    apply: () => writeSetting(path, value),
    revert: (prior) => writeSetting(path, String(prior.value)),
  };
}
