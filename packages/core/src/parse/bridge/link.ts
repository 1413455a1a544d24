import type { BridgePort, Device, Origin } from "../../model/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { isEllipsis } from "../ellipsis.ts";
import type { DeviceEntry } from "../iproute2/device/device-finish.ts";
import { finishDevices } from "../iproute2/device/device-finish.ts";
import { emptyDevice, setFlags, splitName, takeHeader } from "../iproute2/device/device-header.ts";
import { parametersOfWords, portOf } from "../iproute2/device/link-kind.ts";
import { invocationOf } from "../iproute2/invocation.ts";
import {
  Complaints,
  isBlank,
  isToolMessage,
  type LogicalLine,
  logicalLines,
  originOf,
  wordsIn,
} from "../iproute2/lines.ts";
import { numberOf, WordCursor } from "../iproute2/words.ts";
import type { Source } from "../source.ts";

/** Before 4.17: `3: veth0 state UP @eth1: <UP,…> mtu …`; the state is the device's, not the port's. */
function takeOldHeader(cursor: WordCursor): DeviceEntry["draft"] | undefined {
  const index = /^(\d{1,10}):$/.exec(cursor.peek() ?? "");
  const name = cursor.peek(1);
  if (index === null || name === undefined || cursor.peek(2) !== "state") return undefined;
  const link = cursor.peek(4);
  const flags = /^<([^<>]*)>$/.exec(cursor.peek(5) ?? "");
  if (link === undefined || !link.endsWith(":") || flags === null) return undefined;
  const state = cursor.peek(3)!;
  for (let i = 0; i < 6; i++) cursor.take();
  const draft = emptyDevice(name);
  draft.index = Number(index[1]);
  draft.operState = state;
  const below = splitName(`x${link.slice(0, -1)}`).link;
  if (below !== undefined && below !== "(null)") draft.link = below;
  setFlags(
    draft,
    flags[1]!.split(",").filter((f) => f !== ""),
  );
  return draft;
}

const merged = (a: BridgePort | undefined, b: BridgePort): BridgePort => ({ ...a, ...b });

function takeWords(cursor: WordCursor, draft: DeviceEntry["draft"], origin: Origin): void {
  const words = cursor.words.slice(cursor.position).map((w) => w.text);
  const p = parametersOfWords(words);
  const mtu = numberOf(p.value("mtu"));
  if (mtu !== undefined) draft.mtu = mtu;
  const master = p.value("master");
  if (master !== undefined) draft.master = master;
  const port = portOf(p);
  draft.port = merged(draft.port, { ...port, ...(port.hairpin !== undefined && { hairpinOrigin: origin }) });
}

/** The bridges that ports name are devices too, and surely bridges. */
export function withMasters(devices: readonly Device[]): Device[] {
  const names = new Set(devices.map((d) => d.name));
  const masters = new Map<string, Device>();
  for (const { master, origin } of devices) {
    if (master === undefined || names.has(master) || masters.has(master)) continue;
    masters.set(master, { name: master, kind: "bridge", addresses: [], addressesKnown: false, origin });
  }
  return [...devices, ...masters.values()];
}

const DETAIL =
  /^(state|hairpin|guard|root_block|fastleave|learning|flood|mcast_\w+|hwmode|neigh_suppress|vlan_tunnel)$/;

/** Reads `bridge link`, plain and -d, of old and new versions. */
export function readBridgeLink(source: Source, context: DumpContext): Reading {
  const complaints = new Complaints(source, "bridge-link");
  const command = invocationOf(context.command ?? []);
  const entries: DeviceEntry[] = [];
  const take = (line: LogicalLine): void => {
    const cursor = new WordCursor(wordsIn(line));
    if (cursor.peek() === "Deleted") cursor.take();
    const draft = takeHeader(cursor) ?? takeOldHeader(cursor);
    if (draft !== undefined) {
      takeWords(cursor, draft, originOf(source, line));
      entries.push({ draft, addresses: [], addressesKnown: false, origin: originOf(source, line) });
      return;
    }
    const last = entries[entries.length - 1];
    if (last === undefined || !DETAIL.test(cursor.peek() ?? ""))
      complaints.notUnderstood(line, "not a line of `bridge link`");
    else takeWords(cursor, last.draft, originOf(source, line));
  };
  for (const line of logicalLines(source)) {
    if (!isBlank(line.text) && !isToolMessage(line.text) && !isEllipsis(line.text)) take(line);
  }
  return portsReading(finishDevices(entries), command !== undefined, complaints.list);
}

/** Only ports of bridges are listed: other devices may exist, so the list is never whole. */
export function portsReading(
  ports: readonly Device[],
  requested: boolean,
  diagnostics: readonly Diagnostic[],
): Reading {
  return {
    facts:
      ports.length === 0 && !requested
        ? []
        : [{ kind: "devices", devices: withMasters(ports), shows: ["bridge-port"], extent: "partial" }],
    diagnostics,
    counts: { ports: ports.length },
  };
}
