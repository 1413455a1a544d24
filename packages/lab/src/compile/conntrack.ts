import type { ConntrackEntry } from "@hairpin/core/model/index.ts";
import { addressWord, bracketed, joined, numberWord, type Word, words } from "@hairpin/core/model/word.ts";
import { type Address, isIpv4 } from "@hairpin/core/net/index.ts";

/** The kernel's udp_timeout_stream, where a listing told none. */
const TIMEOUT = 120;

const endpoint = (address: Address, port: number): Word =>
  joined(":", isIpv4(address) ? addressWord(address) : bracketed(addressWord(address)), numberWord(port));

function nat(flag: readonly Word[], now: readonly [Address, number], was: readonly [Address, number]): readonly Word[] {
  return now[0] === was[0] && now[1] === was[1] ? [] : words`${flag} ${endpoint(...now)}`;
}

/**
 * What makes an entry of before with conntrack(8). The tuples are given untranslated: the kernel itself turns the reply by the
 * translation, and only so marks it as translated.
 */
export function conntrackArguments({ original: o, reply: r, ...entry }: ConntrackEntry): readonly Word[] {
  const [src, dst] = [addressWord(o.src), addressWord(o.dst)];
  const [sport, dport] = [numberWord(o.sport), numberWord(o.dport)];
  const status: Word[] = [...(entry.unreplied ? [] : words`SEEN_REPLY`), ...(entry.assured ? words`ASSURED` : [])];
  return [
    ...words`-I -p udp -t ${numberWord(entry.timeout ?? TIMEOUT)}`,
    // conntrack(8) 1.4.7 makes another mark of 0.
    ...(entry.mark === 0 ? [] : words`-m ${numberWord(entry.mark)}`),
    ...words`-s ${src} -d ${dst} --sport ${sport} --dport ${dport}`,
    ...words`-r ${dst} -q ${src} --reply-port-src ${dport} --reply-port-dst ${sport}`,
    ...nat(words`--dst-nat`, [r.src, r.sport], [o.dst, o.dport]),
    ...nat(words`--src-nat`, [r.dst, r.dport], [o.src, o.sport]),
    ...(status.length === 0 ? [] : words`-u ${joined(",", ...status)}`),
  ];
}
