import type { KernelVersion, Machine, Origin } from "../../model/index.ts";
import { parseIpv4 } from "../../net/index.ts";
import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { Reading } from "../dialect.ts";
import { originAt, type Source } from "../source.ts";

const RELEASE = /^(\d{1,3})\.(\d{1,3})(?:\.(\d{1,6}))?[\w.+~-]*$/;

export function kernelVersion(release: string, origin: Origin): KernelVersion | undefined {
  const match = release.length > 120 ? null : RELEASE.exec(release);
  if (match === null) return undefined;
  return { release, major: Number(match[1]), minor: Number(match[2]), patch: Number(match[3] ?? 0), origin };
}

export const machineReading = (machine: Partial<Machine>, diagnostics: readonly Diagnostic[] = []): Reading => ({
  facts: [{ kind: "machine", machine: { iptables: [], ...machine } }],
  diagnostics,
  counts: {},
});

export const nothing = (source: Source, index: number, code: string, message: string): Reading => ({
  facts: [],
  diagnostics: [diagnose(source, index, 0, code, message, { length: source.lines[index]?.length || 1 })],
  counts: {},
});

/** `uname -a`, `-r`, `-n`, `-sr` …: the release is known by its look, the host by standing between it and `Linux`. */
export function readUname(source: Source): Reading {
  const index = source.lines.findIndex((line) => line.trim() !== "");
  if (index < 0) return machineReading({});
  const words = source.lines[index]!.trim().split(/\s+/, 8);
  const origin = originAt(source, index);
  // A host may be named by its address, which looks like a release.
  const build = words.findIndex((w) => /^#\d/.test(w));
  const at = build > 0 ? build - 1 : words.findIndex((w) => parseIpv4(w) === undefined && RELEASE.test(w));
  const kernel = at < 0 ? undefined : kernelVersion(words[at]!, origin);
  const before = words.slice(0, at < 0 ? undefined : at).filter((w) => w !== "Linux");
  const hostname = before.length === 1 && /^[\w.-]+$/.test(before[0]!) ? before[0] : undefined;
  if (kernel === undefined && hostname === undefined && words[0] !== "Linux") {
    return nothing(source, index, "uname-bad-line", "neither a kernel's release nor a host's name");
  }
  return machineReading({
    ...(hostname === undefined ? {} : { hostname }),
    ...(kernel === undefined ? {} : { kernel }),
  });
}

/** `Linux version 6.1.0-54-cloud-amd64 (…) …`. */
export function readProcVersion(source: Source): Reading {
  const index = source.lines.findIndex((line) => line.includes("Linux version "));
  const release = index < 0 ? undefined : /Linux version (\S{1,120})/.exec(source.lines[index]!)?.[1];
  const kernel = release === undefined ? undefined : kernelVersion(release, originAt(source, index));
  if (kernel === undefined) return nothing(source, Math.max(0, index), "uname-bad-line", "no kernel's release");
  return machineReading({ kernel });
}
