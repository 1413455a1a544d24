import type { ObservedTime } from "../../model/index.ts";
import type { Cursor } from "./cursor.ts";

const NUMBER = /[ \t]{0,12}\d{1,9}[ \t]{1,4}(?=\d{4}-\d\d-\d\d |\d\d:\d\d:\d\d|\d{1,10}\.\d)/y;
const DATE = /[ \t]{0,12}(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,10}))?/y;
const CLOCK = /[ \t]{0,12}(\d\d):(\d\d):(\d\d)(?:\.(\d{1,10}))?(?=\s)/y;
const SECONDS = /[ \t]{0,12}(\d{1,10})\.(\d{6,9})(?=\s)/y;
const INVALID = / \(invalid [mun]s\)/y;

const fraction = (digits: string | undefined): number => (digits === undefined ? 0 : Number(`0.${digits}`));

/** The packet's number (`-#`) and its time in any form of `-t`. `deltas`: the command asked for differences. */
export function readTime(cursor: Cursor, deltas: boolean): ObservedTime | undefined {
  cursor.take(NUMBER);
  const date = cursor.take(DATE);
  if (date !== undefined) {
    const [, y, mo, d, h, mi, s, f] = date;
    cursor.take(INVALID);
    const seconds = Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s)) / 1000;
    return { seconds: seconds + fraction(f), base: "epoch" };
  }
  const clock = cursor.take(CLOCK);
  if (clock !== undefined) {
    const [, h, mi, s, f] = clock;
    cursor.take(INVALID);
    const seconds = Number(h) * 3600 + Number(mi) * 60 + Number(s) + fraction(f);
    return { seconds, base: deltas ? "previous" : "day" };
  }
  const plain = cursor.take(SECONDS);
  if (plain === undefined) return undefined;
  const whole = Number(plain[1]);
  return { seconds: whole + fraction(plain[2]), base: whole > 10_000_000 && !deltas ? "epoch" : "previous" };
}
