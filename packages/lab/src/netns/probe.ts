import { say, type Text, text } from "@hairpin/core/messages/index.ts";
import { isInstalled, notInstalled, type Program } from "../installed.ts";
import { findPython } from "./python.ts";

const TOOLS: readonly Program[] = ["ip", "bridge", "iptables-legacy-restore", "iptables-nft-restore"];

/** Why a kernel cannot be asked: as texts, and in English. */
export interface Unusable {
  readonly usable: false;
  readonly texts: readonly Text[];
  readonly reasons: readonly string[];
}

export const unusable = (texts: readonly Text[]): Unusable => ({
  usable: false,
  texts,
  reasons: texts.map((it) => say(it)),
});

export type NetnsSupport = { readonly usable: true; readonly python: string } | Unusable;

/** Whether worlds can be built on the running kernel, and if not, what it would take. */
export function netnsSupport(uid: number | undefined = process.getuid?.()): NetnsSupport {
  const against: Text[] = [];
  if (process.platform !== "linux") against.push(text("lab.not-linux"));
  else if (uid !== 0) against.push(text("lab.not-root"));
  const python = findPython();
  const missing = TOOLS.filter((tool) => !isInstalled(tool));
  if (python === undefined) missing.unshift("python3");
  if (missing.length > 0) against.push(notInstalled(missing));
  return python !== undefined && against.length === 0 ? { usable: true, python } : unusable(against);
}
