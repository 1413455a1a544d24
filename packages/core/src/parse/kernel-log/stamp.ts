import type { ObservedTime } from "../../model/index.ts";

export interface Stamped {
  readonly time?: ObservedTime;
  /** What the kernel itself wrote. */
  readonly message: string;
  /** Column at which it starts. */
  readonly at: number;
}

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const month = (name: string): number => MONTHS.indexOf(name) / 3;

const BOOT = /^\s{0,8}(?:<\d{1,3}>)?\[\s{0,8}(\d{1,10}\.\d{3,9})\]\s?/;
const HUMAN = /^\s{0,8}\[\w{3} (\w{3})\s+(\d{1,2}) (\d\d):(\d\d):(\d\d) (\d{4})\]\s?/;
const SYSLOG = /^\s{0,8}(\w{3})\s{1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))? \S{1,80} kernel: ?/;
const ISO =
  /^\s{0,8}(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:Z|[+-]\d\d:?\d\d)? (?:\S{1,80} kernel: ?)?/;

/** Takes the stamp of dmesg, dmesg -T, the journal or syslog off a line. `date`: without a year, counted from January. */
export function stamped(line: string): Stamped {
  const off = (m: RegExpExecArray, time: ObservedTime): Stamped => {
    const rest = line.slice(m[0].length);
    // Syslog keeps the kernel's own stamp behind its own.
    const inner = BOOT.exec(rest.slice(0, 40));
    const at = m[0].length + (inner?.[0].length ?? 0);
    return { time, message: line.slice(at), at };
  };
  const head = line.slice(0, 200);
  const boot = BOOT.exec(head);
  if (boot !== null)
    return {
      time: { seconds: Number(boot[1]), base: "boot" },
      message: line.slice(boot[0].length),
      at: boot[0].length,
    };
  const human = HUMAN.exec(head);
  if (human !== null) {
    const [, mon = "", d, h, mi, s, y] = human;
    const ms = Date.UTC(Number(y), month(mon), Number(d), Number(h), Number(mi), Number(s));
    return off(human, { seconds: ms / 1000, base: "epoch" });
  }
  const syslog = SYSLOG.exec(head);
  if (syslog !== null) {
    const [, mon = "", d, h, mi, s, f] = syslog;
    const ms = Date.UTC(1972, month(mon), Number(d), Number(h), Number(mi), Number(s)) - Date.UTC(1972, 0, 1);
    return off(syslog, { seconds: ms / 1000 + (f === undefined ? 0 : Number(`0.${f}`)), base: "date" });
  }
  const iso = ISO.exec(head);
  if (iso !== null) {
    const [, y, mo, d, h, mi, s, f] = iso;
    const ms = Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s));
    return off(iso, { seconds: ms / 1000 + (f === undefined ? 0 : Number(`0.${f}`)), base: "epoch" });
  }
  return { message: line, at: 0 };
}
