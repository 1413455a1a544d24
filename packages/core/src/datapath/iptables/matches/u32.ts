import type { Packet, PortSet } from "../../../model/index.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { portInRange, scatter } from "../../kernel/ports.ts";
import { inOne } from "../../kernel/skb.ts";
import { type HeaderByte, headerBytes, portsAt } from "./header-bytes.ts";
import type { MatchAnswer, MatchContext } from "./index.ts";
import type { Option } from "./options.ts";

/** A word of which not every bit need be known. */
interface Word {
  readonly value: number;
  readonly known: number;
  /** Ports that are sets, and how far from the right of the word each has its last bit. */
  readonly ports: readonly { readonly port: PortSet; readonly shift: number }[];
}

const ALL = 0xffffffff;
const PORT = 0xffff;

const TEST = /^(.*?)=(.*)$/;
const STEP = /\s*(&|<<|>>|@)?\s*(0x[0-9a-f]{1,8}|\d{1,10})/giy;

/** Follows u32_mt() (xt_u32.c). */
export function matchU32({ kernel, skb }: MatchContext, options: readonly Option[]): MatchAnswer {
  const packet = inOne(skb);
  const [option] = options;
  if (option === undefined) return "unknown";
  const bytes = headerBytes(packet);
  let all: boolean | "unknown" = true;
  for (const test of option.value.split("&&")) {
    const holds = testHolds(kernel, packet, bytes, test);
    if (holds === false) return option.negated;
    if (holds === "unknown") all = holds;
  }
  if (all !== "unknown") return all !== option.negated;
  scatter(kernel, [packet.sport, packet.dport]);
  return all;
}

function testHolds(kernel: Kernel, packet: Packet, bytes: readonly HeaderByte[], test: string): boolean | "unknown" {
  const [, location, values] = TEST.exec(test) ?? [];
  const word = location === undefined ? "unknown" : wordAt(packet, bytes, location);
  if (word === "unknown" || values === undefined) return "unknown";
  if (word === "outside") return false;
  let any: boolean | "unknown" = false;
  for (const range of values.split(",")) {
    const found = inRange(kernel, word, range);
    if (found === true) return true;
    if (found === "unknown") any = found;
  }
  return any;
}

function inRange(kernel: Kernel, { value, known, ports }: Word, range: string): boolean | "unknown" {
  const [from = Number.NaN, to = from] = range.split(":").map(Number);
  if (Number.isNaN(from) || Number.isNaN(to)) return "unknown";
  if (known === ALL) return value >= from && value <= to;
  if (from === 0 && to === ALL) return true;
  const [only, more] = ports;
  if (only?.shift === 0 && more === undefined && (known | PORT) >>> 0 === ALL && (known & PORT) === 0)
    return portInRange(kernel, only.port, { from: from - value, to: to - value });
  return from === to && ((from ^ value) & known) !== 0 ? false : "unknown";
}

/** u32_match_it(): the steps of a location, from left to right. `outside`: the packet is shorter. */
function wordAt(packet: Packet, bytes: readonly HeaderByte[], location: string): Word | "outside" | "unknown" {
  let at = 0;
  let word: Word | undefined;
  let end = 0;
  for (const step of location.matchAll(STEP)) {
    const [text, op, digits] = step;
    end = (step.index ?? 0) + text.length;
    const number = Number(digits);
    if (word === undefined || op === "@") {
      if (word !== undefined) {
        if (word.known !== 0xffffffff) return "unknown";
        at += word.value;
      }
      if (packet.length < at + number + 4) return "outside";
      word = readWord(packet, bytes, at + number);
    } else if (op === "&")
      word = {
        value: (word.value & number) >>> 0,
        known: (word.known | ~number) >>> 0,
        ports: word.ports.filter(({ shift }) => (at16(number, shift) & PORT) !== 0),
      };
    else if (op === "<<")
      word = {
        value: (word.value << number) >>> 0,
        known: ((word.known << number) | ((1 << number) - 1)) >>> 0,
        ports: moved(word, number),
      };
    else if (op === ">>")
      word = {
        value: word.value >>> number,
        known: ((word.known >>> number) | topBits(number)) >>> 0,
        ports: moved(word, -number),
      };
    else return "unknown";
  }
  return location.slice(end).trim() === "" && word !== undefined ? word : "unknown";
}

/** The bits from `shift` on, as a word. */
const at16 = (word: number, shift: number): number => (shift < 0 ? word << -shift : word >>> shift);

const moved = ({ ports }: Word, by: number): Word["ports"] =>
  ports.map(({ port, shift }) => ({ port, shift: shift + by })).filter(({ shift }) => shift > -16 && shift < 32);

const topBits = (n: number): number => (n === 0 ? 0 : (0xffffffff << (32 - n)) >>> 0);

function readWord(packet: Packet, bytes: readonly HeaderByte[], offset: number): Word {
  let value = 0;
  let known = 0;
  for (let i = 0; i < 4; i++) {
    const byte = bytes[offset + i];
    value = ((value << 8) | (byte ?? 0)) >>> 0;
    known = ((known << 8) | (byte === undefined ? 0 : 255)) >>> 0;
  }
  const ports = portsAt(packet)
    .map(({ port, offset: at }) => ({ port, shift: 8 * (offset + 2 - at) }))
    .filter(({ shift }) => shift > -16 && shift < 32);
  return { value, known, ports };
}
