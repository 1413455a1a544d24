import type { Packet } from "../../../model/index.ts";
import { type HeaderByte, headerBytes } from "./header-bytes.ts";
import type { MatchAnswer, MatchContext } from "./index.ts";
import type { Option } from "./options.ts";

/** A word of which not every bit need be known. */
interface Word {
  readonly value: number;
  readonly known: number;
}

const TEST = /^(.*?)=(.*)$/;
const STEP = /\s*(&|<<|>>|@)?\s*(0x[0-9a-f]{1,8}|\d{1,10})/giy;

/** Follows u32_mt() (xt_u32.c). */
export function matchU32({ skb: { packet } }: MatchContext, options: readonly Option[]): MatchAnswer {
  const [option] = options;
  if (option === undefined) return "unknown";
  const bytes = headerBytes(packet);
  const answers = option.value.split("&&").map((test) => testHolds(packet, bytes, test));
  const all = answers.includes(false) ? false : answers.includes("unknown") ? "unknown" : true;
  return all === "unknown" ? all : all !== option.negated;
}

function testHolds(packet: Packet, bytes: readonly HeaderByte[], test: string): boolean | "unknown" {
  const [, location, values] = TEST.exec(test) ?? [];
  const word = location === undefined ? "unknown" : wordAt(packet, bytes, location);
  if (word === "unknown" || values === undefined) return "unknown";
  if (word === "outside") return false;
  const answers = values.split(",").map((range) => inRange(word, range));
  return answers.includes(true) ? true : answers.includes("unknown") ? "unknown" : false;
}

function inRange({ value, known }: Word, range: string): boolean | "unknown" {
  const [from = Number.NaN, to = from] = range.split(":").map(Number);
  if (Number.isNaN(from) || Number.isNaN(to)) return "unknown";
  if (known === 0xffffffff) return value >= from && value <= to;
  if (from === 0 && to === 0xffffffff) return true;
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
      word = readWord(bytes, at + number);
    } else if (op === "&") word = { value: (word.value & number) >>> 0, known: (word.known | ~number) >>> 0 };
    else if (op === "<<")
      word = { value: (word.value << number) >>> 0, known: ((word.known << number) | ((1 << number) - 1)) >>> 0 };
    else if (op === ">>")
      word = { value: word.value >>> number, known: ((word.known >>> number) | topBits(number)) >>> 0 };
    else return "unknown";
  }
  return location.slice(end).trim() === "" && word !== undefined ? word : "unknown";
}

const topBits = (n: number): number => (n === 0 ? 0 : (0xffffffff << (32 - n)) >>> 0);

function readWord(bytes: readonly HeaderByte[], offset: number): Word {
  let value = 0;
  let known = 0;
  for (let i = 0; i < 4; i++) {
    const byte = bytes[offset + i];
    value = ((value << 8) | (byte ?? 0)) >>> 0;
    known = ((known << 8) | (byte === undefined ? 0 : 255)) >>> 0;
  }
  return { value, known };
}
