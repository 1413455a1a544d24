import type { IptablesVersion } from "../../model/index.ts";
import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { Reading } from "../dialect.ts";
import { originAt, type Source } from "../source.ts";
import { kernelVersion, machineReading, nothing } from "./uname.ts";

const VERSION =
  /^(ip6?)tables(?:-(?:nft|legacy))?(?:-save|-restore)? v(\d{1,3}\.\d{1,3}(?:\.\d{1,3})?\S{0,20})(?: \((legacy|nf_tables)\))?$/;

/** `iptables v1.8.9 (nf_tables)`. Before 1.8 there was one back end and it was not named. */
export function readIptablesVersion(source: Source): Reading {
  const iptables: IptablesVersion[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const [index, line] of source.lines.entries()) {
    const text = line.trim();
    if (text === "") continue;
    const match = VERSION.exec(text.slice(0, 120));
    if (match === null) {
      const message = "not a version of iptables";
      diagnostics.push(diagnose(source, index, 0, "iptables-bad-version", message, { length: line.length }));
      continue;
    }
    const [, tool, version = "", named] = match;
    const [major = 0, minor = 0] = version.split(".").map(Number);
    const old = major < 1 || (major === 1 && minor < 8);
    const backend = named === "nf_tables" ? "nft" : named === "legacy" || old ? "legacy" : undefined;
    iptables.push({
      version,
      ...(backend === undefined ? {} : { backend }),
      family: tool === "ip6" ? 6 : 4,
      origin: originAt(source, index),
    });
  }
  return machineReading({ iptables }, diagnostics);
}

/** `hostname`, /etc/hostname: one word. */
export function readHostname(source: Source): Reading {
  const index = source.lines.findIndex((line) => line.trim() !== "");
  const name = source.lines[index]?.trim();
  if (name === undefined) return machineReading({});
  if (!/^[\w.-]{1,253}$/.test(name)) return nothing(source, index, "hostname-bad-line", "not the name of a host");
  return machineReading({ hostname: name });
}

/** `hostnamectl`: the name, the distribution and the kernel; the rest does not matter here. */
export function readHostnamectl(source: Source): Reading {
  let machine: Parameters<typeof machineReading>[0] = {};
  for (const [index, line] of source.lines.entries()) {
    const match = /^\s*([A-Z][A-Za-z ]{1,30}): (.{1,200})$/.exec(line.slice(0, 260));
    const value = match?.[2]?.trim() ?? "";
    if (match?.[1] === "Static hostname" && /^[\w.-]+$/.test(value)) machine = { ...machine, hostname: value };
    if (match?.[1] === "Operating System") machine = { ...machine, os: value };
    const kernel =
      match?.[1] === "Kernel" ? kernelVersion(value.replace(/^Linux /, ""), originAt(source, index)) : undefined;
    if (kernel !== undefined) machine = { ...machine, kernel };
  }
  return machineReading(machine);
}

/** /etc/os-release and its elders (`CentOS Linux release 7.9.2009 (Core)`). */
export function readOsRelease(source: Source): Reading {
  const pretty = source.lines
    .map((l) => /^PRETTY_NAME=["']?(.{1,120}?)["']?\s*$/.exec(l)?.[1])
    .find((v) => v !== undefined);
  const elder = source.lines.find((l) => /^[A-Z][\w ]{1,60} release [\d.]+/.test(l))?.trim();
  const os = pretty ?? elder;
  return machineReading(os === undefined ? {} : { os });
}
