import { existsSync } from "node:fs";
import { findPython } from "./python.ts";

const FOLDERS = ["/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/sbin", "/usr/local/bin"];
const TOOLS = ["ip", "bridge", "iptables-legacy-restore", "iptables-nft-restore"] as const;

export type NetnsSupport =
  | { readonly usable: true; readonly python: string }
  | { readonly usable: false; readonly reasons: readonly string[] };

/** Whether worlds can be built on the running kernel, and if not, what it would take. */
export function netnsSupport(uid: number | undefined = process.getuid?.()): NetnsSupport {
  const reasons: string[] = [];
  if (process.platform !== "linux") reasons.push("this is not Linux");
  else if (uid !== 0) reasons.push("namespaces need root; run it with sudo, or use the VM");
  const python = findPython();
  if (python === undefined) reasons.push("python3 (3.6 or later) is not installed");
  const missing = TOOLS.filter((tool) => !FOLDERS.some((folder) => existsSync(`${folder}/${tool}`)));
  if (missing.length > 0) reasons.push(`not installed: ${missing.join(", ")} (packages iproute2, iptables)`);
  return reasons.length === 0 ? { usable: true, python: python! } : { usable: false, reasons };
}
