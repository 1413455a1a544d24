import type { ObservedPacket, ObservedPlace } from "../../model/index.ts";
import { parseAddress, parseMac } from "../../net/index.ts";
import { originAt, type Source } from "../source.ts";

/** `Unicast reply from 10.0.0.9 [52:54:00:aa:00:01]  0.7ms` (iputils); `60 bytes from 52:54:00:aa:00:01 (10.0.0.9): index=0` (Habets). */
const REPLIES = [
  /^(?:Uni|Broad)cast reply from (?<address>\S{2,45}) \[(?<mac>[0-9a-fA-F:]{17})\]/,
  /^\d{1,6} bytes from (?<mac>[0-9a-fA-F:]{17}) \((?<address>[^)\s]{2,45})\)/,
];

/** Who answered arping, as a capture would show it. */
export const arpReplies = (source: Source, place: ObservedPlace): readonly ObservedPacket[] =>
  source.lines.flatMap((line, index): ObservedPacket[] => {
    for (const pattern of REPLIES) {
      const { address = "", mac = "" } = pattern.exec(line.trim().slice(0, 200))?.groups ?? {};
      const [sender, from] = [parseAddress(address), parseMac(mac.toLowerCase())];
      if (sender === undefined || from === undefined) continue;
      const arp = { operation: "reply", sender, target: sender, mac: from } as const;
      return [{ place, srcMac: from, arp, origin: originAt(source, index) }];
    }
    return [];
  });
