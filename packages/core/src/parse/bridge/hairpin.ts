import type { Device, Origin } from "../../model/index.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { isEllipsis } from "../ellipsis.ts";
import { Complaints, isBlank, logicalLines, originOf } from "../iproute2/lines.ts";
import type { Source } from "../source.ts";

interface PortPath {
  readonly port: string;
  readonly bridge?: string;
}

/** /sys/class/net/PORT/brport/…, /sys/class/net/BRIDGE/brif/PORT/…, /sys/devices/virtual/net/… in the same shapes. */
export function portOfPath(path: string): PortPath | undefined {
  const parts = path.split("/");
  const net = parts.lastIndexOf("net");
  const name = parts[net + 1];
  if (net < 1 || name === undefined || name === "" || name === "*") return undefined;
  if (parts[net + 2] === "brport") return { port: name };
  const port = parts[net + 3];
  return parts[net + 2] === "brif" && port !== undefined && port !== "" && port !== "*"
    ? { port, bridge: name }
    : undefined;
}

const VALUE = /^[01]$/;

/** A line `PATH:1`, `PATH: 1`, `PATH 1`, `PATH = 1`, or `veth0: 1` as a loop prints it. */
export function pathAndValue(text: string): { readonly key: string; readonly value: string } | undefined {
  const trimmed = text.trim();
  if (trimmed.length > 400) return undefined;
  const match = /^([^\s:=]{1,300})\s{0,4}[:= ]\s{0,4}=?\s{0,4}([01])$/.exec(trimmed);
  return match === null ? undefined : { key: match[1]!, value: match[2]! };
}

const deviceOf = (path: PortPath, value: string, origin: Origin): Device => ({
  name: path.port,
  kind: "unknown",
  addresses: [],
  addressesKnown: false,
  ...(path.bridge === undefined ? {} : { master: path.bridge }),
  port: { hairpin: value === "1" },
  origin,
});

/** Reads hairpin_mode files: `grep -r .`, `cat` after its echoed command, loops that print path or port and value. */
export function readHairpin(source: Source, context: DumpContext): Reading {
  const complaints = new Complaints(source, "hairpin-mode");
  const requested = (context.command ?? []).filter((w) => w.includes("/")).map(portOfPath);
  const devices: Device[] = [];
  let bare = 0;
  for (const line of logicalLines(source)) {
    const text = line.text.trim();
    if (isBlank(text) || isEllipsis(text)) continue;
    const origin = originOf(source, line);
    // `head` and `tail` of several files, and `cat` of one: the value stands alone.
    const heading = /^==> (\/\S{1,300}) <==$/.exec(text);
    const headed = heading === null ? undefined : portOfPath(heading[1]!);
    if (headed !== undefined) {
      requested.splice(0, requested.length, headed);
      bare = 0;
      continue;
    }
    if (VALUE.test(text)) {
      const path = requested[bare] ?? (context.device === undefined ? undefined : { port: context.device.value });
      bare++;
      if (path === undefined) complaints.notUnderstood(line, "a value of a port that is not named");
      else devices.push(deviceOf(path, text, origin));
      continue;
    }
    const phrase = pathAndValue(text);
    const path =
      phrase === undefined ? undefined : phrase.key.includes("/") ? portOfPath(phrase.key) : { port: phrase.key };
    if (phrase === undefined || path === undefined)
      complaints.notUnderstood(line, "no hairpin_mode file and its value");
    else devices.push(deviceOf(path, phrase.value, origin));
  }
  return {
    facts: devices.length === 0 ? [] : [{ kind: "devices", devices, shows: ["bridge-port"], extent: "partial" }],
    diagnostics: complaints.list,
    counts: { ports: devices.length },
  };
}
