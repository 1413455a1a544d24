/** When a bundle was taken, as its name says it. */
export interface Taken {
  readonly text: string;
  /** Minutes since some day, for comparison; undefined where the name has a day only. */
  readonly minute: number | undefined;
}

const STAMP = /(20\d\d)-?(\d\d)-?(\d\d)(?:[T_-](\d\d)[_:]?(\d\d)(?:[_:]?\d\d)?(?![\da-z]))?/;

/** `2026-11-15_12_31_07`, `20261115-123306`, `2026-11-15_1229-UTC`, `2026-11-15`: of the innermost folder that has one. */
export function takenAt(folder: string): Taken | undefined {
  for (const name of folder.split("/").reverse()) {
    const [, year, month, day, hour, minute] = STAMP.exec(name) ?? [];
    if (year === undefined || Number(month) > 12 || Number(day) > 31) continue;
    const date = `${year}-${month}-${day}`;
    if (hour === undefined) return { text: date, minute: undefined };
    const days = (Number(year) * 12 + Number(month)) * 31 + Number(day);
    return { text: `${date} ${hour}:${minute}`, minute: (days * 24 + Number(hour)) * 60 + Number(minute) };
  }
  return undefined;
}
