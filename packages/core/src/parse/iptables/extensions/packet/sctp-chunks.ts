import type { Value } from "../../values/index.ts";

/** Chunk types in the order of their bits in the kernel's map, which is the order of printing. */
const CHUNKS: readonly (readonly [name: string, bit: number, flags: string])[] = [
  ["DATA", 0, "----IUBE"],
  ["INIT", 1, "--------"],
  ["INIT_ACK", 2, "--------"],
  ["SACK", 3, "--------"],
  ["HEARTBEAT", 4, "--------"],
  ["HEARTBEAT_ACK", 5, "--------"],
  ["ABORT", 6, "-------T"],
  ["SHUTDOWN", 7, "--------"],
  ["SHUTDOWN_ACK", 8, "--------"],
  ["ERROR", 9, "--------"],
  ["COOKIE_ECHO", 10, "--------"],
  ["COOKIE_ACK", 11, "--------"],
  ["ECN_ECNE", 12, "--------"],
  ["ECN_CWR", 13, "--------"],
  ["SHUTDOWN_COMPLETE", 14, "-------T"],
  ["I_DATA", 64, "----IUBE"],
  ["RE_CONFIG", 130, "--------"],
  ["PAD", 132, "--------"],
  ["ASCONF", 193, "--------"],
  ["ASCONF_ACK", 128, "--------"],
  ["FORWARD_TSN", 192, "--------"],
  ["I_FORWARD_TSN", 194, "--------"],
];
const ORDER = [...CHUNKS].sort((a, b) => a[1] - b[1]);

/** `INIT`, `DATA:Be` (B set, E not), `DATA:BE,INIT`, `ALL`, `NONE`. */
function parseTypes(text: string): string | undefined {
  const chosen = new Map<string, string>();
  if (/^(?:ALL|NONE)$/i.test(text)) return text.toUpperCase();
  for (const part of text.split(",")) {
    const [name = "", flags] = part.split(":", 2);
    const known = CHUNKS.find(([n]) => n === name.toUpperCase());
    if (known === undefined || part.split(":").length > 2) return undefined;
    if (flags !== undefined) {
      for (const letter of flags) if (!known[2].includes(letter.toUpperCase()) || letter === "-") return undefined;
    }
    // Printed set bits first, each kind from the highest bit of the field down.
    const upper = [...known[2]].filter((l) => l !== "-" && flags?.includes(l));
    const lower = [...known[2]].filter((l) => l !== "-" && flags?.includes(l.toLowerCase()));
    const shown = [...known[2]]
      .filter((l) => upper.includes(l) || lower.includes(l))
      .map((l) => (upper.includes(l) ? l : l.toLowerCase()))
      .join("");
    chosen.set(known[0], shown === "" ? known[0] : `${known[0]}:${shown}`);
  }
  const shown = ORDER.filter(([name]) => chosen.has(name)).map(([name]) => chosen.get(name)!);
  return shown.join(",");
}

export const chunkTypes: Value<string> = {
  words: 2,
  expects: "all, any or only, and a list of chunk types",
  read: ([how, types]) => {
    const word = (how ?? "").toLowerCase();
    const shown = word === "all" || word === "any" || word === "only" ? parseTypes(types ?? "") : undefined;
    return shown === undefined ? undefined : `${word} ${shown}`;
  },
  print: (value) => value.split(" "),
};
