import { type PortRange, servicePort } from "../../../net/index.ts";
import { formatRange, parseRange, parseUnsigned, U16 } from "./number.ts";
import { single, type Value } from "./value.ts";

export const parsePort = (text: string): number | undefined => parseUnsigned(text, U16) ?? servicePort(text);

export const port: Value<number> = single("a port", parsePort);

export const portRange: Value<PortRange> = single(
  "a port or a range of ports FROM:TO",
  (word) => parseRange(word, U16, parsePort),
  formatRange,
);

/** XT_MULTI_PORTS: fifteen ports, a range counts for two. */
const MULTI_PORTS = 15;

export const portList: Value<readonly PortRange[]> = single(
  "up to 15 ports or ranges FROM:TO, separated by commas",
  (word) => {
    const ports: PortRange[] = [];
    let room = MULTI_PORTS;
    for (const part of word.split(",")) {
      const range = part === "" ? undefined : parseRange(part, U16, parsePort);
      if (range === undefined) return undefined;
      room -= part.includes(":") ? 2 : 1;
      if (room < 0) return undefined;
      ports.push(range);
    }
    return ports;
  },
  (ports) => ports.map(formatRange).join(","),
);
