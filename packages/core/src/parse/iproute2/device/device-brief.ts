import { numberOf, type WordCursor } from "../words.ts";
import { type AddressDraft, takeAddress } from "./address-words.ts";
import { type DeviceDraft, emptyDevice, setFlags, splitName } from "./device-header.ts";

const STATES: ReadonlySet<string> = new Set([
  "UNKNOWN",
  "NOTPRESENT",
  "DOWN",
  "LOWERLAYERDOWN",
  "TESTING",
  "DORMANT",
  "UP",
]);

export interface Brief {
  readonly draft: DeviceDraft;
  readonly addresses: readonly AddressDraft[];
}

/** `eth0@if3  UP  10.0.0.1/24 fe80::1/64` and `eth0  UP  02:00:00:00:00:01 <BROADCAST,UP>`. */
export function readBrief(cursor: WordCursor): Brief | undefined {
  const name = cursor.peek();
  const state = cursor.peek(1);
  if (name === undefined || state === undefined || !STATES.has(state)) return undefined;
  cursor.take();
  cursor.take();
  const { name: own, link } = splitName(name);
  const draft = emptyDevice(own);
  draft.operState = state;
  if (link !== undefined) draft.link = link;
  const addresses: AddressDraft[] = [];
  while (!cursor.done) {
    const word = cursor.peek()!;
    const flags = /^<([^<>]*)>$/.exec(word);
    if (flags !== null) {
      setFlags(
        draft,
        flags[1]!.split(",").filter((f) => f !== ""),
      );
      cursor.take();
    } else if (/^[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}$/.test(word)) draft.mac = cursor.take()!.toLowerCase();
    else if (word === "metric") {
      cursor.take();
      const metric = numberOf(cursor.take());
      const last = addresses[addresses.length - 1];
      if (metric !== undefined && last !== undefined) last.metric = metric;
    } else {
      const address = takeAddress(cursor);
      if (address !== undefined) addresses.push(address);
      // A tunnel's local address or an InfiniBand address: no Ethernet address to keep.
      else if (!/^[0-9a-fA-F.:]{2,80}$/.test(word)) return undefined;
    }
  }
  return { draft, addresses };
}
