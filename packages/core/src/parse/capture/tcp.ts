import { type ObservedTcp, TCP } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import type { Cursor } from "./cursor.ts";
import type { Sequences } from "./sequence.ts";

const LETTERS: Readonly<Record<string, number>> = lookup({
  S: TCP.SYN,
  F: TCP.FIN,
  P: TCP.PSH,
  R: TCP.RST,
  ".": TCP.ACK,
  U: TCP.URG,
  E: 64,
  W: 128,
  e: 256,
});

function flagsOf(letters: string): number | undefined {
  if (letters === "none") return 0;
  let flags = 0;
  for (const c of letters) {
    const bit = LETTERS[c];
    if (bit === undefined) return undefined;
    flags |= bit;
  }
  return flags;
}

export interface TcpText {
  readonly tcp: ObservedTcp;
  readonly payload?: number;
}

const FLAGS = /Flags \[([A-Za-z.]{1,12})\],?/y;
const SEQ = /, seq (\d{1,10})(?::(\d{1,10}))?(?=[,\s]|$)|^ seq (\d{1,10})(?::(\d{1,10}))?(?=[,\s]|$)/;
const ACK = /, ack (\d{1,10})(?=[,\s]|$)|^ ack (\d{1,10})(?=[,\s]|$)/;
const WINDOW = /,? win (\d{1,10})/;
const LENGTH = /, length (\d{1,6})/;

/** `Flags [P.], cksum 0x1ed1 (correct), seq 1:88, ack 1, win 342, options […], length 87`. */
export function readTcp(cursor: Cursor, src: string, dst: string, sequences: Sequences): TcpText | undefined {
  const m = cursor.take(FLAGS);
  const flags = m === undefined ? undefined : flagsOf(m[1]!);
  if (flags === undefined) return undefined;
  // Options and what an application said may hold anything; the numbers stand before them.
  const line = cursor.line();
  const options = line.indexOf(", options [");
  const numbers = options < 0 ? line : line.slice(0, options);
  const seq = SEQ.exec(numbers);
  const ack = ACK.exec(numbers);
  const window = WINDOW.exec(numbers)?.[1];
  const rest = options < 0 ? line : line.slice(optionsEnd(line, options));
  const first = seq?.[1] ?? seq?.[3];
  const last = seq?.[2] ?? seq?.[4];
  const acked = ack?.[1] ?? ack?.[2];
  const length = LENGTH.exec(rest)?.[1];
  const payload =
    length !== undefined
      ? Number(length)
      : first !== undefined && last !== undefined
        ? (Number(last) - Number(first) + 0x100000000) % 0x100000000
        : undefined;
  return {
    tcp: {
      flags,
      ...sequences.resolve(
        src,
        dst,
        flags,
        first === undefined ? undefined : Number(first),
        acked === undefined ? undefined : Number(acked),
      ),
      ...(window === undefined ? {} : { window: Number(window) }),
    },
    ...(payload === undefined ? {} : { payload }),
  };
}

function optionsEnd(line: string, from: number): number {
  const end = line.indexOf("], ", from);
  return end < 0 ? line.length : end + 1;
}

const OLD =
  /(?:([SFRPWEU.]{1,8}) )(?:cksum \S{1,20} \([^)]{1,30}\),? ?)?(?:(\d{1,10}):(\d{1,10})\((\d{1,6})\) ?)?(?:ack (\d{1,10}) ?)?(?:win (\d{1,10}))?/y;

/** tcpdump 3: `S 123:123(0) win 5840`, `. ack 1 win 5840`. */
export function readOldTcp(cursor: Cursor, src: string, dst: string, sequences: Sequences): TcpText | undefined {
  const at = cursor.at;
  const m = cursor.take(OLD);
  const letters = m === undefined ? undefined : flagsOf(m[1]!);
  if (m === undefined || letters === undefined || (m[2] === undefined && m[5] === undefined && m[6] === undefined)) {
    cursor.at = at;
    return undefined;
  }
  // The dot stood for "none of S, F, P, R"; ACK is told by `ack`.
  const flags = m[5] === undefined ? letters & ~TCP.ACK : letters | TCP.ACK;
  return {
    tcp: {
      flags,
      ...sequences.resolve(
        src,
        dst,
        flags,
        m[2] === undefined ? undefined : Number(m[2]),
        m[5] === undefined ? undefined : Number(m[5]),
      ),
      ...(m[6] === undefined ? {} : { window: Number(m[6]) }),
    },
    payload: m[4] === undefined ? 0 : Number(m[4]),
  };
}
