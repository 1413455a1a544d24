import type { ConntrackEntry } from "@hairpin/core/model/index.ts";
import { type Address, formatAddress } from "@hairpin/core/net/index.ts";
import { numberWord } from "./words.ts";

/** The kernel's udp_timeout_stream, where a listing told none. */
const TIMEOUT = 120;

const nat = (flag: string, address: Address, port: number, was: Address, wasPort: number): readonly string[] =>
  address === was && port === wasPort ? [] : [flag, `${formatAddress(address)}:${numberWord(port)}`];

/**
 * What makes an entry of before with conntrack(8). The tuples are given untranslated: the kernel itself turns the reply by the
 * translation, and only so marks it as translated.
 */
export function conntrackArguments({ original: o, reply: r, ...entry }: ConntrackEntry): readonly string[] {
  const status = [...(entry.unreplied ? [] : ["SEEN_REPLY"]), ...(entry.assured ? ["ASSURED"] : [])];
  return [
    ...["-I", "-p", "udp", "-t", numberWord(entry.timeout ?? TIMEOUT)],
    // conntrack(8) 1.4.7 makes another mark of 0.
    ...(entry.mark === 0 ? [] : ["-m", numberWord(entry.mark)]),
    ...["-s", formatAddress(o.src), "-d", formatAddress(o.dst)],
    ...["--sport", numberWord(o.sport), "--dport", numberWord(o.dport)],
    ...["-r", formatAddress(o.dst), "-q", formatAddress(o.src)],
    ...["--reply-port-src", numberWord(o.dport), "--reply-port-dst", numberWord(o.sport)],
    ...nat("--dst-nat", r.src, r.sport, o.dst, o.dport),
    ...nat("--src-nat", r.dst, r.dport, o.src, o.sport),
    ...(status.length === 0 ? [] : ["-u", status.join(",")]),
  ];
}
