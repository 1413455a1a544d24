import type { LoadedCase } from "@hairpin/core/diagnose/index.ts";
import type { Dump } from "@hairpin/core/parse/index.ts";

const isAfter = (d: Dump): boolean => d.context.moment?.value === "after";

/** Whether some dumps of a case were taken after a change. */
export const hasMoments = ({ reading }: LoadedCase): boolean =>
  reading.dumps.some(isAfter) && !reading.dumps.every(isAfter);

const placeOf = ({ context, dialect }: Dump): string =>
  [context.node?.value, context.stack?.value, dialect.id, context.iptablesTable?.value, context.family?.value].join(
    "\n",
  );

/** The case as it stood afterwards: what was shown again replaces what was shown before, the rest stands. */
export function afterwards(loaded: LoadedCase): LoadedCase {
  const { dumps } = loaded.reading;
  const after = dumps.filter(isAfter);
  const again = new Set(after.map(placeOf));
  const stands = dumps.filter((d) => !isAfter(d) && !again.has(placeOf(d)));
  const now = [...stands, ...after].map((d): Dump => {
    const { moment: _, ...context } = d.context;
    return { ...d, context };
  });
  return { ...loaded, reading: { ...loaded.reading, dumps: now } };
}
