import { option } from "../../rule/extension.ts";
import { flag, single, type Value } from "../../values/index.ts";
import { otherMatch } from "../other.ts";

const pad = (n: number, digits = 2) => String(n).padStart(digits, "0");

const daytime: Value<string> = single("hh:mm[:ss]", (text) => {
  const match = /^(\d{1,2}):(\d{1,2})(?::(\d{1,2}))?$/.exec(text);
  if (!match) return undefined;
  const [h, m, s] = [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
  return h > 23 || m > 59 || s > 59 ? undefined : `${pad(h)}:${pad(m)}:${pad(s)}`;
});

/** YYYY[-MM[-DD[Thh[:mm[:ss]]]]], from 1970 to 2038. */
const date: Value<string> = single("YYYY[-MM[-DD[Thh[:mm[:ss]]]]]", (text) => {
  const match = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:T(\d{1,2})(?::(\d{1,2})(?::(\d{1,2}))?)?)?)?)?$/.exec(text);
  if (!match) return undefined;
  const [y, mo, d, h, mi, s] = [1, 2, 3, 4, 5, 6].map((i) => Number(match[i] ?? (i === 2 || i === 3 ? 1 : 0))) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (y < 1970 || y > 2038 || mo < 1 || mo > 12 || d < 1 || d > 31 || h > 23 || mi > 59 || s > 59) return undefined;
  return `${pad(y, 4)}-${pad(mo)}-${pad(d)}T${pad(h)}:${pad(mi)}:${pad(s)}`;
});

const days = (names: readonly string[], first: number): Value<string> =>
  single(`a list of ${names[0]} to ${names[names.length - 1]}`, (text) => {
    const chosen = new Set<number>();
    for (const part of text.split(",")) {
      const byName = names.indexOf(part);
      const index = byName >= 0 ? byName : /^\d{1,2}$/.test(part) ? Number(part) - first : -1;
      if (index < 0 || index >= names.length) return undefined;
      chosen.add(index);
    }
    return names.filter((_, i) => chosen.has(i)).join(",");
  });

const MONTHDAYS = Array.from({ length: 31 }, (_, i) => String(i + 1));
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

export const time = otherMatch({
  name: "time",
  fields: {
    start: option("--timestart", daytime, { everything: (t) => t === "00:00:00" }),
    stop: option("--timestop", daytime, { everything: (t) => t === "23:59:59" }),
    monthdays: option("--monthdays", days(MONTHDAYS, 1), { negatable: true }),
    weekdays: option("--weekdays", days(WEEKDAYS, 1), { negatable: true }),
    from: option("--datestart", date),
    to: option("--datestop", date),
    kerneltz: option("--kerneltz", flag),
    contiguous: option("--contiguous", flag),
  },
});
